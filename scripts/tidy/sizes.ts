import { Visitor } from "vite"
import { type Finding, type Findings, report } from "./finding.ts"
import { lineAt, resolveImport, type Source, type Tree } from "./tree.ts"

const MOST_LINES_A_FILE = 300
const MOST_LINES_A_FUNCTION = 50

/** Signals, not verdicts: long files, long functions, files nobody imports. */
export function reportSizes(tree: Tree): Findings {
  const code = tree.sources.filter((source) => !source.isTest)
  return report(
    ...code.flatMap(longFile),
    ...code.flatMap(longFunctions),
    ...unreached(tree).map((where) => ({
      where,
      wrong: "No other file imports this one.",
      instead: "Use it or delete it.",
    })),
  )
}

function longFile(source: Source): readonly Finding[] {
  const lines = source.text.split("\n").length
  if (lines <= MOST_LINES_A_FILE) return []
  return [
    {
      where: source.path,
      wrong: `${lines} lines; the limit is ${MOST_LINES_A_FILE}.`,
      instead: "Split it where the names change.",
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
      instead: "Give its steps names.",
    })
  }
  new Visitor({
    FunctionDeclaration: check,
    FunctionExpression: check,
    ArrowFunctionExpression: check,
  }).visit(source.parsed.program)
  return findings
}

/** Entries, indexes and tests are reached by others than imports. */
function unreached(tree: Tree): readonly string[] {
  const reached = new Set(
    tree.sources.flatMap((source) =>
      source.imports.flatMap((it) => resolveImport(source.path, it.specifier) ?? []),
    ),
  )
  return tree.sources
    .filter((source) => source.path.startsWith("src/") && !source.isTest)
    .map((source) => source.path)
    .filter((path) => !reached.has(path) && !/\/(?:index|main|errors)\.ts$/.test(path))
}
