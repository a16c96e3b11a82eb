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
import { checkRegularExpressions } from "./regular-expressions.ts"
import { checkRooms } from "./rooms.ts"
import { reportSizes } from "./sizes.ts"
import { checkTests } from "./tests.ts"
import type { Tree } from "./tree.ts"

export async function tidyTree(tree: Tree): Promise<Findings> {
  const later = [checkErrors(tree), ...GENERATED.map((it) => checkGenerated(tree, it))]
  const now = [
    checkSight(tree),
    checkRooms(tree),
    checkImports(tree),
    checkHelpers(tree),
    checkTests(tree),
    checkDocuments(tree),
    checkPackages(tree),
    checkLanguage(tree),
    checkRegularExpressions(tree),
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

const GENERATED = [
  { script: "scripts/reference.ts", where: "docs/reference", command: "npm run reference" },
  { script: "scripts/plugin.ts", where: "plugin", command: "npm run plugin" },
] as const

async function checkGenerated(
  tree: Tree,
  { script, where, command }: (typeof GENERATED)[number],
): Promise<Findings> {
  if (!tree.paths.has(script)) return fail()
  try {
    await promisify(execFile)(process.execPath, [joinPath(tree.root, script), "--check"])
    return fail()
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout).trim() : ""
    return fail({
      where,
      wrong: output === "" ? `It cannot be generated: ${String(error)}` : output,
      instead: `Run \`${command}\` and commit the result.`,
    })
  }
}
