import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { BenchScan } from "#ground/contract"
import { createApp } from "#show/app"
import { atMost, type Bench, makeRow, type Row } from "./frame.ts"
import { makeTree } from "./map/made-tree.ts"

/** Our sources average 85 lines: about 500,000 lines in all, the size named in the design. */
const FILES = 5_800

export const bench: Bench = {
  name: "scan",
  about: "A cold scan of 500,000 lines, its memory, and one changed file, beside other tools",
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-scan-"))
    try {
      const tree = makeTree(path.join(folder, "tree"), { root: context.root, files: FILES })
      context.note(`${tree.files} files, ${tree.lines} lines …`)
      await using app = await createApp({
        directory: tree.folder,
        environment: { PATH: process.env["PATH"], QM_HOME: path.join(folder, "home") },
        settings: [],
        writeLog: () => {},
      })
      const { signal } = new AbortController()
      const result = app.call("bench.scan", { repo: tree.folder }, { signal })
      return rowsOf(BenchScan.parse(await result))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
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
