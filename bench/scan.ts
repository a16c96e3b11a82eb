import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { text } from "node:stream/consumers"
import { z } from "zod"
import { BenchScan } from "#ground/contract"
import { atMost, type Bench, makeRow, type Row } from "./frame.ts"
import { makeTree } from "./map/made-tree.ts"

/** The size named in the design. */
const LINES = 500_000

export const bench: Bench = {
  name: "scan",
  about: "A cold scan of 500,000 lines, its memory, and one changed file, beside other tools",
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-scan-"))
    try {
      const tree = makeTree(path.join(folder, "tree"), { root: context.root, lines: LINES })
      context.note(`${tree.files} files, ${tree.lines} lines …`)
      const scan = await scanAlone(tree.folder, { root: context.root, home: folder })
      return [...rowsOf(scan), computingRow(scan, await parseAlone(context.root, tree.folder))]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** In a process of its own: the peak of memory is that of a whole process. */
async function scanAlone(
  repo: string,
  { root, home }: { root: string; home: string },
): Promise<BenchScan> {
  const args = [path.join(root, "bin/qm.mjs"), "bench", "scan", "--repo", repo, "--json"]
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, QM_HOME: path.join(home, "home") },
    stdio: ["ignore", "pipe", "inherit"],
  })
  const output = await text(child.stdout)
  return BenchScan.parse(JSON.parse(output))
}

const ParseFloor = z.object({ readSeconds: z.number(), parseSeconds: z.number() })
type ParseFloor = z.infer<typeof ParseFloor>

/** Reading and parsing the same files in one thread, which no scan with these grammars can save. */
async function parseAlone(root: string, folder: string): Promise<ParseFloor> {
  const args = [path.join(root, "bench/map/parse-floor.ts"), root, folder]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  return ParseFloor.parse(JSON.parse(await text(child.stdout)))
}

/** Two cores have 12 CPU seconds in the 6 seconds of the design. */
function computingRow({ rows: [own] }: BenchScan, floor: ParseFloor): Row {
  return makeRow({
    what: "computing time of the cold scan",
    measured: own?.cpuSeconds ?? Number.NaN,
    unit: "s",
    against: "reading and parsing alone",
    floor: floor.readSeconds + floor.parseSeconds,
    bar: atMost(12, "s"),
  })
}

function rowsOf({ rows, oneFileChangedMs }: BenchScan): readonly Row[] {
  const [own, ...peers] = rows
  const installed = peers.filter((it) => it.seconds !== null)
  const against = installed.length === 0 ? [{ tool: "no other tool here", seconds: 0 }] : installed
  return [
    ...against.map((peer) =>
      makeRow({
        what: "cold scan",
        measured: own?.seconds ?? Number.NaN,
        unit: "s",
        against: peer.tool,
        floor: peer.seconds ?? 0,
        bar: atMost(6, "s"),
      }),
    ),
    makeRow({
      what: "peak memory",
      measured: own?.peakMegabytes ?? Number.NaN,
      unit: "MB",
      against: installed.at(-1)?.tool ?? "no other tool here",
      floor: installed.at(-1)?.peakMegabytes ?? 0,
      bar: atMost(300, "MB"),
    }),
    makeRow({
      what: "one file changed",
      measured: oneFileChangedMs ?? Number.NaN,
      unit: "ms",
      against: "the cold scan",
      floor: (own?.seconds ?? 0) * 1_000,
      bar: atMost(150, "ms"),
    }),
  ]
}
