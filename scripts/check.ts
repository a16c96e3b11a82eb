import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { CHECKS, type Check } from "./check/checks.ts"
import { runCheck, type Verdict } from "./check/run.ts"

/**
 * `npm run check [name…]`: format, lint, types of engine and pages, tidy and dead code, in
 * parallel. Prints one line each and the full output of failed checks below. A check that saw fewer
 * files than git tracks has failed.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { root: { type: "string" } },
})
const root = resolve(values.root ?? `${import.meta.dirname}/..`)
const verdicts = await Promise.all(chosenChecks().map(check))

for (const verdict of verdicts.filter((it) => it.problem !== undefined)) {
  process.stdout.write(`\n── ${verdict.name}: ${verdict.problem}\n${verdict.output.trim()}\n`)
}
process.exitCode = verdicts.every((it) => it.problem === undefined) ? 0 : 1

function chosenChecks(): readonly Check[] {
  const unknown = positionals.filter((name) => !CHECKS.some((it) => it.name === name))
  const names = CHECKS.map((it) => it.name).join(", ")
  if (unknown.length > 0)
    throw new Error(`unknown check ${unknown.join(", ")}; known checks: ${names}`)
  return CHECKS.filter((it) => positionals.length === 0 || positionals.includes(it.name))
}

async function check(chosen: Check): Promise<Verdict> {
  const verdict = await runCheck(chosen, root)
  process.stdout.write(`${line(verdict)}\n`)
  return verdict
}

function line({ name, problem, seconds, seen }: Verdict): string {
  const word = problem === undefined ? "ok" : "FAILED"
  return [name.padEnd(8), word.padEnd(7), `${seconds.toFixed(1)} s`, ` ${seen} files`].join(" ")
}
