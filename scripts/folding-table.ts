import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { mainRun, tableOf } from "../test/scenarios/gateway-table.ts"

/**
 * Measures the branch-heavy run again and writes its table into docs/reference/folding.md: `node
 * scripts/folding-table.ts`. It needs the real Claude Code, which `npm run test:full` installs; it
 * calls no provider.
 */
const PAGE = join(import.meta.dirname, "..", "docs/reference/folding.md")
const BEGIN = "<!-- table: begin -->\n"
const END = "<!-- table: end -->\n"

const off = await mainRun("direct")
const folded = await mainRun("fold")
const problems = [...off.problems, ...folded.problems]
if (problems.length > 0) throw new Error(`the strict model reported: ${problems.join("; ")}`)

const table = tableOf(off, folded)
const page = readFileSync(PAGE, "utf8")
const [before = "", rest = ""] = page.split(BEGIN)
const [, after = ""] = rest.split(END)
writeFileSync(PAGE, `${before}${BEGIN}${table}${END}${after}`)
process.stdout.write(table)
