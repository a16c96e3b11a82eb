import { readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { systemClock } from "#ground/base"
import type { Bench, BenchContext, Row } from "./frame.ts"
import { renderTable } from "./table.ts"

/**
 * `npm run bench [name…] [--json] [--strict] [--rounds n] [--minutes n] [--data file]`. A missed bar is a line in the table; it
 * is a failure only with --strict, because the machine may be busy.
 */
const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    rounds: { type: "string" },
    minutes: { type: "string" },
    data: { type: "string" },
  },
})

const context: BenchContext = {
  root: path.dirname(import.meta.dirname),
  clock: systemClock,
  rounds: flags.rounds === undefined ? undefined : Math.max(1, Math.floor(Number(flags.rounds))),
  minutes: flags.minutes === undefined ? undefined : Number(flags.minutes),
  data: flags.data,
  note: (sentence) => process.stderr.write(`${sentence}\n`),
}

const benches = choose(await loadBenches(), names)
const results: { bench: Bench; rows: readonly Row[] }[] = []
for (const bench of benches) {
  context.note(`${bench.name} …`)
  results.push({ bench, rows: await bench.run(context) })
}
process.stdout.write(flags.json ? asJson() : asTables())
const isMissed = results.some((it) => it.rows.some((row) => row.holds === false))
process.exitCode = isMissed && flags.strict ? 1 : 0

async function loadBenches(): Promise<readonly Bench[]> {
  const files = readdirSync(import.meta.dirname)
    .filter((it) => it.endsWith(".ts") && !it.endsWith(".test.ts"))
    .filter((it) => !["frame.ts", "run.ts", "table.ts"].includes(it))
    .toSorted()
  const modules = await Promise.all(
    files.map((it) => import(pathToFileURL(path.join(import.meta.dirname, it)).href)),
  )
  return modules.flatMap((it: { readonly bench?: Bench }) => it.bench ?? [])
}

function choose(all: readonly Bench[], chosenNames: readonly string[]): readonly Bench[] {
  const names = all.map((it) => it.name)
  const unknown = chosenNames.filter((it) => !names.includes(it))
  if (all.length > 0 && unknown.length === 0) {
    return all.filter((it) => chosenNames.length === 0 || chosenNames.includes(it.name))
  }
  context.note(`No benchmark named ${unknown.join(", ")}. There are: ${names.join(", ")}.`)
  process.exit(1)
}

function asTables(): string {
  const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores`
  const tables = results.map(
    ({ bench, rows }) => `${bench.name}: ${bench.about}\n${renderTable(rows)}`,
  )
  return `${machine}\n\n${tables.join("\n")}`
}

function asJson(): string {
  const machine = {
    node: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    cores: availableParallelism(),
  }
  const benchmarks = results.map(({ bench, rows }) => ({ name: bench.name, rows }))
  return `${JSON.stringify({ machine, benchmarks }, null, 2)}\n`
}
