import { posix } from "node:path"
import { Visitor } from "vite"
import { type Finding, type Findings, report } from "./finding.ts"
import { lineAt, resolveImport, type Source, type Tree } from "./tree.ts"
import { WINGS } from "./wings.ts"

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
    for (const imported of imports) {
      const target = resolveImport(path, imported.specifier)
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
    .filter(({ path }) => !/\/(?:index|main|errors)\.ts$|\.fixture\.ts$/.test(path))
    .map(({ path }) => ({
      where: path,
      wrong: "No other file imports this one.",
      instead: "Use it or delete it.",
    }))
}

/**
 * Files that could be part of their only user. Not those that are loaded later, have a test or a
 * style sheet, or are one of several variants, such as languages. A file that only an index imports
 * is used by other rooms.
 */
function smallFiles(tree: Tree, importers: Importers): readonly Finding[] {
  const loadedLater = loadedLaterIn(tree)
  return tree.sources.flatMap(({ path, text, isTest }) => {
    const lines = text.split("\n").length - 1
    const isProduct = /^(?:src|console\/src)\//.test(path) && !isTest
    if (!isProduct || lines >= FEWEST_LINES_FOR_ONE_IMPORTER || OWN_FILE.test(path)) return []
    const all = [...(importers.get(path) ?? [])]
    const [importer, second] = all.filter((it) => !isTestPath(it))
    const hasTest =
      tree.paths.has(path.replace(/(\.tsx?)$/, ".test$1")) ||
      all.some((it) => isTestPath(it) && posix.dirname(it) === posix.dirname(path))
    const hasStyle = tree.paths.has(path.replace(/\.tsx?$/, ".module.css"))
    const isApart = hasTest || hasStyle || loadedLater.has(path)
    if (isApart || importer === undefined || second !== undefined) return []
    if (importer.endsWith("/index.ts")) return []
    return [
      {
        where: path,
        wrong: `${lines} lines, and only ${importer} imports it.`,
        instead: "Merge it into its importer, or test it on its own if it is pure.",
      },
    ]
  })
}

/** Files with a fixed name or use, and variants: one file per language, host, provider or model. */
const OWN_FILE =
  /\/(?:index|main|errors|limits|operations|queries)\.ts$|\.(?:fixture|generated)\.|\/([^/]+)\/\1\.ts$|\/(?:languages|hosts|providers|models)\/[^/]+$/

function loadedLaterIn(tree: Tree): ReadonlySet<string | undefined> {
  return new Set(
    tree.sources.flatMap(({ path, imports }) =>
      imports.filter((it) => it.isDynamic).map((it) => resolveImport(path, it.specifier)),
    ),
  )
}

/** Not counted: fixtures, and files of a table with one file per room or per migration. */
function fullFolders(code: readonly Source[]): readonly Finding[] {
  const isCounted = ({ path }: Source) =>
    /^(?:src|console\/src)\//.test(path) && !path.includes(".fixture.") && !isTableFile(path)
  const inSource = code.filter(isCounted)
  const folders = Map.groupBy(inSource, ({ path }) => posix.dirname(path))
  return [...folders]
    .filter(([, files]) => files.length > MOST_FILES_A_FOLDER)
    .map(([where, files]) => ({
      where,
      wrong: `${files.length} source files; the limit is ${MOST_FILES_A_FOLDER}.`,
      instead: "Make folders named after its parts, or merge files.",
    }))
}

function isTableFile(path: string): boolean {
  const name = posix.basename(path).replace(/\.tsx?$/, "")
  return ROOM_NAMES.has(name) || /^\d{4}-/.test(name)
}

const ROOM_NAMES: ReadonlySet<string> = new Set(WINGS.flatMap(({ levels }) => levels.flat()))

function isTestPath(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.startsWith("test/")
}
