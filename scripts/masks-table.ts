import { readFileSync, writeFileSync } from "node:fs"
import { formatExact } from "#ground/base"
import {
  type AutoFold,
  LONG_SESSIONS,
  type LongRun,
  type LongSession,
  masksOn,
  playLong,
} from "../test/scenarios/mask-sessions.ts"

// Plays six long sessions of the real Claude Code with auto-fold off, suggest and on, and writes the
// table of docs/reference/folding.md. A name limits it to one session and prints only.

const PAGE = new URL("../docs/reference/folding.md", import.meta.url)
const MODES: readonly AutoFold[] = ["off", "suggest", "on"]

/** Dollars per million tokens of a large model: input, cache read, cache write, output. */
const PRICES = { input: 5, read: 0.5, write: 6.25 } as const

const HEAD = [
  "| session | auto-fold | requests | tokens sent | cache read | cache written | price | masked | re-reads | compactions | largest request |",
  "|---|---|---|---|---|---|---|---|---|---|---|",
]

function row({ name }: LongSession, mode: AutoFold, run: LongRun): string {
  const sum = (of: (it: LongRun["requests"][number]["usage"]) => number): number =>
    run.requests.reduce((whole, it) => whole + of(it.usage), 0)
  const [input, reads, writes] = [
    sum((it) => it.input),
    sum((it) => it.cacheRead),
    sum((it) => it.cacheWrite),
  ]
  const price = (input * PRICES.input + reads * PRICES.read + writes * PRICES.write) / 1_000_000
  const sizes = run.requests.map(({ usage: it }) => it.input + it.cacheRead + it.cacheWrite)
  const cells = [
    name,
    mode,
    formatExact(run.requests.length),
    formatExact(input + reads + writes),
    formatExact(reads),
    formatExact(writes),
    `$${price.toFixed(2)}`,
    String(Math.max(...run.requests.map((it) => masksOn(it.body)))),
    String(run.rereads),
    String(run.compactions),
    formatExact(Math.max(...sizes)),
  ]
  return `| ${cells.join(" | ")} |`
}

const [only] = process.argv.slice(2)
const rows: string[] = []
let requests = 0
let problems = 0
for (const session of LONG_SESSIONS.filter((it) => only === undefined || it.name === only)) {
  for (const mode of MODES) {
    const run = await playLong(session, mode)
    const wrong = run.requests.flatMap((it) => [...it.violations, ...it.mismatches])
    const line = row(session, mode, run)
    process.stdout.write(`${line}\n`)
    if (run.code !== 0 || wrong.length > 0 || run.lost.length > 0) {
      process.stdout.write(
        `  code ${run.code}, ${wrong.slice(0, 3).join("; ")} ${run.lost.join()} ${run.stderr}\n`,
      )
    }
    rows.push(line)
    // The host's own compaction moves thinking, with or without masks.
    requests += mode === "on" ? run.requests.length : 0
    problems += mode === "on" ? wrong.length + run.lost.length : 0
  }
}
process.stdout.write(`${requests} requests with auto-fold on, ${problems} problems\n`)
if (only === undefined) {
  const page = readFileSync(PAGE, "utf8")
  const [begin, end] = ["<!-- masks: begin -->", "<!-- masks: end -->"]
  const at = { from: page.indexOf(begin), to: page.indexOf(end) }
  if (at.from === -1 || at.to === -1) throw new Error(`${begin} and ${end} are not in the page`)
  const table = [begin, ...HEAD, ...rows, end].join("\n")
  writeFileSync(PAGE, `${page.slice(0, at.from)}${table}${page.slice(at.to + end.length)}`)
}
