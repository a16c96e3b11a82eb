import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { renderFailure, renderReport } from "./tidy/finding.ts"
import { tidyTree } from "./tidy/tidy-tree.ts"
import { readTree } from "./tidy/tree.ts"

/**
 * Checks architecture, documents and sizes: `node scripts/tidy.ts [--root folder]`. Failures stop
 * the check, reports do not. scripts/tidy/wings.ts lists the rooms.
 */
const { values } = parseArgs({ options: { root: { type: "string" } } })
const tree = readTree(resolve(values.root ?? join(import.meta.dirname, "..")))
const { failures, reports } = await tidyTree(tree)
const imports = tree.sources.reduce((sum, source) => sum + source.imports.length, 0)

for (const finding of failures) process.stdout.write(renderFailure(finding))
for (const finding of reports) process.stdout.write(renderReport(finding))
process.stdout.write(
  `tidy: ${tree.paths.size} files, ${imports} imports, ` +
    `${failures.length} failures, ${reports.length} reports\n`,
)
process.exitCode = failures.length > 0 ? 1 : 0
