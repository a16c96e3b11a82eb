import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { type App, createApp } from "#show/app"
import { atMost, type Bench, type BenchContext, interleave, makeRow, type Row } from "./frame.ts"
import { type MadeTree, makeTree } from "./map/made-tree.ts"

const FILES = 10_000
const ROUNDS = 40
const { signal } = new AbortController()

export const bench: Bench = {
  name: "pack",
  about:
    "A package of 8,000 tokens from a warm index of 10,000 files; the check that it is current; a file that changed",
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-pack-"))
    try {
      const tree = makeTree(path.join(folder, "tree"), { root: context.root, files: FILES })
      const open = (scanInterval: number, watchesTree = false) =>
        createApp({
          directory: tree.folder,
          environment: { PATH: process.env["PATH"], QM_HOME: path.join(folder, "home") },
          settings: [`map.scanInterval=${scanInterval}`],
          writeLog: () => {},
          watchesTree,
        })
      await using app = await open(86_400)
      await using unchecked = await open(0)
      await using watching = await open(86_400, true)
      context.note(`scanning ${FILES} files, ${tree.lines} lines …`)
      await app.call("map.scan", {}, { signal })
      // The times of files written just before a scan are stored by the next one.
      await app.call("map.scan", {}, { signal })
      return await measure({ app, unchecked, watching, tree }, context)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

type PackBench = {
  readonly app: App
  /** Never compares the index with the files. */
  readonly unchecked: App
  /** Like every process that stays (`qm mcp`, `qm up`, the index daemon): the system reports changes. */
  readonly watching: App
  readonly tree: MadeTree
}

async function measure(fixture: PackBench, context: BenchContext): Promise<readonly Row[]> {
  const rounds = { clock: context.clock, rounds: context.rounds ?? ROUNDS, warmUpRounds: 8 }
  // First the warm index, then changes: after a change the next package prepares the index again.
  const asking = await interleave(askers(fixture), rounds)
  const scanning = await interleave(scanners(fixture), rounds)
  const [pack, search] = [asking("package by watch"), asking("search")]
  const inMs = { unit: "ms" }
  return [
    makeRow({
      ...inMs,
      what: "package by watch, median",
      measured: pack.median,
      against: "search alone",
      floor: search.median,
      bar: atMost(50, "ms"),
    }),
    makeRow({
      ...inMs,
      what: "package by watch, p95",
      measured: pack.p95,
      against: "search alone",
      floor: search.p95,
      bar: atMost(150, "ms"),
    }),
    ...(["package by comparison", "package without a check"] as const).map((what) =>
      makeRow({
        ...inMs,
        what: `${what}, median`,
        measured: asking(what).median,
        against: "package by watch",
        floor: pack.median,
      }),
    ),
    makeRow({
      ...inMs,
      what: "one file changed, median",
      measured: scanning("one changed").median,
      against: "nothing changed",
      floor: scanning("nothing changed").median,
      bar: atMost(150, "ms"),
    }),
  ]
}

function askers({ app, unchecked, watching }: PackBench) {
  let requestCount = 0
  const nextTask = () => TASKS[requestCount++ % TASKS.length]
  const pack = (of: App) => async () => {
    const input = { task: nextTask(), budget: 8_000, save: false }
    await of.call("pack.build", input, { signal })
  }
  return [
    { name: "package by watch", run: pack(watching) },
    { name: "package by comparison", run: pack(app) },
    { name: "package without a check", run: pack(unchecked) },
    { name: "search", run: () => watching.call("search.find", { words: nextTask() }, { signal }) },
  ] as const
}

function scanners({ app, tree }: PackBench) {
  let changed = 0
  return [
    {
      name: "one changed",
      async run() {
        const file = path.join(tree.folder, "harbour/src/show/cli/cli.ts")
        writeFileSync(file, `export const round = ${changed++}\n`)
        await app.call("map.scan", {}, { signal })
      },
    },
    { name: "nothing changed", run: () => app.call("map.scan", {}, { signal }) },
  ] as const
}

const TASKS = [
  "fix the redaction of secrets in command arguments of the crane",
  "the budget bar of the harbour draws a notch in the wrong cell",
  "add a limit to how many commits are read from the history of the jetty",
  "qm config show prints the origin of a value twice for the tugboat",
  "a lease of a run is renewed too late when the store of the quay is busy",
  "resolve imports of go modules in the pilot",
  "the journal of the anchor loses an event after a failed flush",
  "parse stack frames of python in the ferry",
]
