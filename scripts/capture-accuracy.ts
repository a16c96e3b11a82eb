import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { ACCURACY_HOMES } from "../test/conformance/accuracy-homes.ts"
import { compareHome, type StartComparison } from "../test/conformance/start-comparison.ts"
import { START_PARTS, totalOf } from "../test/conformance/start-parts.ts"

/**
 * Compares the estimate of `qm capture` with the first request of the real hosts in 20 homes and
 * writes docs/reference/capture-accuracy.md: `node scripts/capture-accuracy.ts`. It needs the real
 * hosts, which `npm run test:full` installs, and calls no provider.
 */
const ROOT = join(import.meta.dirname, "..")
const PAGE = join(ROOT, "docs/reference/capture-accuracy.md")
function percent(estimate: number, sent: number): string {
  if (sent === 0) return estimate === 0 ? "–" : "+∞"
  const error = (estimate / sent - 1) * 100
  return `${error >= 0 ? "+" : "−"}${Math.abs(error).toFixed(1)} %`
}

const cell = (estimate: number, sent: number) =>
  sent === 0 && estimate === 0 ? "–" : `${estimate} / ${sent} (${percent(estimate, sent)})`

function lineOf({ home, estimate, sent, files }: StartComparison): string {
  const parts = START_PARTS.map((it) => cell(estimate[it], sent[it]))
  const total = cell(totalOf(estimate), totalOf(sent))
  return `| ${[home.host, home.name, ...parts, total, files].join(" | ")} |`
}

const rows: StartComparison[] = []
for (const home of ACCURACY_HOMES) {
  const row = await compareHome(home)
  rows.push(row)
  process.stdout.write(`${lineOf(row)}\n`)
}
const errors = rows.map((it) => Math.abs(totalOf(it.estimate) / totalOf(it.sent) - 1) * 100)
const worst = Math.max(...errors).toFixed(1)
const mean = (errors.reduce((sum, it) => sum + it, 0) / errors.length).toFixed(1)
const categoryErrors = rows.flatMap(({ estimate, sent }) =>
  START_PARTS.flatMap((it) =>
    sent[it] === 0 ? [] : [Math.abs(estimate[it] / sent[it] - 1) * 100],
  ),
)
const worstCategory = Math.max(...categoryErrors).toFixed(1)
const page = `# Accuracy of captures

Written by \`node scripts/capture-accuracy.ts\` on ${new Date().toISOString().slice(0, 10)}; do not edit.

\`qm capture --ask-servers\` against the first request that the real host sends to a loopback model, in
${rows.length} homes: Claude Code 2.1.325 and Codex 0.166.0. Both sides are counted with the \`claude\` encoding, times
the same factor of the model, so the error is that of the estimate and not of the counter. Each cell is estimate / sent (error). The
request is the strictest account: the host's own \`get_context_usage\` leaves out the environment, the git
status and the names of deferred tools. The last column has the instruction files whose text the host
recorded and the capture has byte for byte.

Total: mean error ${mean} %, largest ${worst} %. Largest error of a category: ${worstCategory} %.

| Host | Home | System prompt | Tools | MCP | Memory files | Skills | Agents | Total | Files exact |
|---|---|---|---|---|---|---|---|---|---|
${rows.map(lineOf).join("\n")}

The git status (changed files and recent commits) is not counted and named as such. Codex names its
MCP servers inside a tool's text, so they are in the column Tools there.
`
writeFileSync(PAGE, page)
process.stdout.write(`mean ${mean} %, largest ${worst} %\n`)
