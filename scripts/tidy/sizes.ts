import { posix } from "node:path"
import { Visitor } from "vite"
import { type Finding, type Findings, report } from "./finding.ts"
import { lineAt, resolveImport, type Source, type Tree } from "./tree.ts"

const MOST_LINES_A_FILE = 300
const MOST_LINES_A_FUNCTION = 50
const MOST_FILES_A_FOLDER = 15
const FEWEST_LINES_FOR_ONE_IMPORTER = 60

/**
 * Reports, not failures: long files and functions, files without an importer, small files with one
 * importer, full folders. More than 500 lines of code in a file fail in oxlint (`max-lines`).
 */
export function reportSizes(tree: Tree): Findings {
  const code = tree.sources.filter((source) => !source.isTest)
  const importers = importersOf(tree)
  return report(
    ...code.flatMap(longFile),
    ...code.flatMap(longFunctions),
    ...unreached(code, importers),
    ...smallFiles(tree, importers),
    ...fullFolders(code),
  )
}

function longFile(source: Source): readonly Finding[] {
  const lines = source.text.split("\n").length
  if (lines <= MOST_LINES_A_FILE) return []
  return [
    {
      where: source.path,
      wrong: `${lines} lines; the limit is ${MOST_LINES_A_FILE}.`,
      instead: "Split it by concept.",
    },
  ]
}

function longFunctions(source: Source): readonly Finding[] {
  const findings: Finding[] = []
  const check = (node: { start: number; end: number }) => {
    const first = lineAt(source.text, node.start)
    const lines = lineAt(source.text, node.end) - first + 1
    if (lines <= MOST_LINES_A_FUNCTION) return
    findings.push({
      where: `${source.path}:${first}`,
      wrong: `A function of ${lines} lines; the limit is ${MOST_LINES_A_FUNCTION}.`,
      instead: "Extract its steps into named functions.",
    })
  }
  new Visitor({
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
  }).visit(source.parsed.program)
  return findings
}

function importersOf(tree: Tree): ReadonlyMap<string, ReadonlySet<string>> {
  const importers = new Map<string, Set<string>>()
  for (const { path, imports } of tree.sources) {
    for (const it of imports) {
      const target = resolveImport(path, it.specifier)
      if (target === undefined) continue
      importers.set(target, (importers.get(target) ?? new Set<string>()).add(path))
    }
  }
  return importers
}

type Importers = ReturnType<typeof importersOf>

function unreached(code: readonly Source[], importers: Importers): readonly Finding[] {
  return code
    .filter(({ path }) => path.startsWith("src/") && !importers.has(path))
    .filter(({ path }) => !/\/(?:index|main|errors)\.ts$/.test(path))
    .map(({ path }) => ({
      where: path,
      wrong: "No other file imports this one.",
      instead: "Use it or delete it.",
    }))
}

/** A file that only an index imports is used by other rooms, so it cannot be merged into a user. */
function smallFiles(tree: Tree, importers: Importers): readonly Finding[] {
  return tree.sources.flatMap(({ path, text, isTest }) => {
    const isProduct = /^(?:src|console\/src)\//.test(path) && !isTest
    const isNamedByRule = /\/(?:index|main|errors|limits|operations|queries)\.ts$|\.fixture\./.test(
      path,
    )
    const lines = text.split("\n").length - 1
    const [importer, second] = [...(importers.get(path) ?? [])].filter((it) => !isTestPath(it))
    const hasTest = tree.paths.has(path.replace(/(\.tsx?)$/, ".test$1"))
    if (!isProduct || isNamedByRule || hasTest || lines >= FEWEST_LINES_FOR_ONE_IMPORTER) return []
    if (importer === undefined || second !== undefined || importer.endsWith("/index.ts")) return []
    return [
      {
        where: path,
        wrong: `${lines} lines, and only ${importer} imports it.`,
        instead: "Merge it into its importer, or test it on its own if it is pure.",
      },
    ]
  })
}

function fullFolders(code: readonly Source[]): readonly Finding[] {
  const inSource = code.filter(({ path }) => /^(?:src|console\/src)\//.test(path))
  const folders = Map.groupBy(inSource, ({ path }) => posix.dirname(path))
  return [...folders]
    .filter(([, files]) => files.length > MOST_FILES_A_FOLDER)
    .map(([where, files]) => ({
      where,
      wrong: `${files.length} source files; the limit is ${MOST_FILES_A_FOLDER}.`,
      instead: "Make folders named after its parts, or merge files.",
    }))
}

function isTestPath(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.startsWith("test/")
}
