import { execFile } from "node:child_process"
import { join as joinPath } from "node:path"
import { promisify } from "node:util"
import { checkDocuments } from "./documents.ts"
import { checkErrors } from "./errors.ts"
import { type Findings, fail, join } from "./finding.ts"
import { checkHelpers } from "./helpers.ts"
import { checkImports } from "./imports.ts"
import { checkLanguage } from "./language.ts"
import { checkPackages } from "./packages.ts"
import { checkRooms } from "./rooms.ts"
import { reportSizes } from "./sizes.ts"
import { checkTests } from "./tests.ts"
import type { Tree } from "./tree.ts"

export async function tidyTree(tree: Tree): Promise<Findings> {
  const later = [checkErrors(tree), checkReference(tree)]
  const now = [
    checkSight(tree),
    checkRooms(tree),
    checkImports(tree),
    checkHelpers(tree),
    checkTests(tree),
    checkDocuments(tree),
    checkPackages(tree),
    checkLanguage(tree),
    reportSizes(tree),
  ]
  return join([...now, ...(await Promise.all(later))])
}

/** A check without input would pass on anything. */
function checkSight(tree: Tree): Findings {
  const sources = tree.sources.filter((source) => source.path.startsWith("src/"))
  const imports = sources.flatMap((source) => source.imports)
  const broken = sources.filter((source) => source.parsed.errors.length > 0)
  const unreadable = broken.map(({ path }) => ({
    where: path,
    wrong: "The file cannot be parsed, so nothing in it was checked.",
    instead: "Fix its syntax; `tsc -p .` shows the position.",
  }))
  if (imports.length > 0) return fail(...unreadable)
  return fail(...unreadable, {
    where: tree.root,
    wrong: `Nothing to check: ${sources.length} source files, ${imports.length} imports.`,
    instead: "Run it in a clone with src/, or give the root with --root.",
  })
}

async function checkReference(tree: Tree): Promise<Findings> {
  if (!tree.paths.has("scripts/reference.ts")) return fail()
  try {
    const script = joinPath(tree.root, "scripts/reference.ts")
    await promisify(execFile)(process.execPath, [script, "--check"])
    return fail()
  } catch (error) {
    const said = error instanceof Error && "stdout" in error ? String(error.stdout).trim() : ""
    return fail({
      where: "docs/reference",
      wrong: said === "" ? `The reference cannot be generated: ${String(error)}` : said,
      instead: "Run `npm run reference` and commit the result.",
    })
  }
}
