import type { ParseResult } from "vite"
import { Visitor } from "vite"
import { type Finding, type Findings, fail, join, report } from "./finding.ts"
import { lineAt, type Source, type Tree } from "./tree.ts"
import { roomOf } from "./wings.ts"

export function checkTests(tree: Tree): Findings {
  const tests = tree.sources.filter((source) => source.isTest)
  const titles = tests.flatMap((source) => titlesOf(source))
  const ruleLines = rulesOf(tree)
  const rules = new Map(ruleLines)
  // Tables of test.each have their titles in a column.
  const cited = new Set(
    tests.flatMap((it) => [...it.text.matchAll(ID_IN_TITLE)].map((match) => match[1])),
  )
  return join([
    fail(
      ...tests.flatMap(switchedOff),
      ...tests.flatMap(toolInOrdinaryTest),
      ...repeatedRules(ruleLines),
      ...untestedPromises(tree, cited),
    ),
    report(
      ...[...rules].filter(([id]) => !cited.has(id)).map(([id, where]) => untested(id, where)),
      ...titles.flatMap((title) => unruled(title, rules)),
    ),
  ])
}

type Title = { readonly where: string; readonly text: string; readonly ids: readonly string[] }

/** Ids of promises (docs/promises.md): D1, C7, N4, F5, S10, Q1, TB4, T1, H1. */
const PROMISE = /^(?:D|C|N|F|S|Q|TB|T|H)\d+$/
const PROMISES_PAGE = "docs/promises.md"
const ID_IN_TITLE = /\[([A-Z]+(?:-[A-Z]+)*-?\d+)\]/g

/** `PACK-1` at the start of a list item, a heading or a table row of a room's README. */
const RULE = /^(?:[-*|#]+|\d+\.)?\s*[*`[]*([A-Z]+(?:-[A-Z]+)*-\d+)\b(?!-)/gm

type RuleLine = readonly [id: string, where: string]

function rulesOf(tree: Tree): readonly RuleLine[] {
  const readmes = [...tree.texts].filter(([path]) => /(?:^|\/)README\.md$/.test(path))
  return readmes.flatMap(([path, text]) =>
    [...text.matchAll(RULE)].map(
      (match) => [match[1] ?? "", `${path}:${lineAt(text, match.index)}`] as const,
    ),
  )
}

/** A test that cites such an id would not say which rule it proves. */
function repeatedRules(lines: readonly RuleLine[]): readonly Finding[] {
  return [...Map.groupBy(lines, ([id]) => id)]
    .filter(([, same]) => same.length > 1)
    .map(([id, same]) => ({
      where: same.map(([, where]) => where).join(", "),
      wrong: `${same.length} rules have the id ${id}.`,
      instead: "Give each rule its own id, and correct the titles of its tests.",
    }))
}

/** Each row of the page names its promises in its first cell: `D2, D3`. */
function untestedPromises(tree: Tree, cited: ReadonlySet<string | undefined>): readonly Finding[] {
  const rows = (tree.texts.get(PROMISES_PAGE) ?? "").split("\n").entries()
  return [...rows].flatMap(([at, row]) => {
    const ids =
      row
        .split("|")[1]
        ?.split(",")
        .map((it) => it.trim()) ?? []
    return ids
      .filter((id) => PROMISE.test(id) && !cited.has(id))
      .map((id) => untested(id, `${PROMISES_PAGE}:${at + 1}`))
  })
}

function titlesOf(source: Source): readonly Title[] {
  return callsOf(source.parsed)
    .filter((call) => call.path.length > 0)
    .flatMap((call) => {
      const text = call.title
      if (text === undefined) return []
      const ids = [...text.matchAll(ID_IN_TITLE)].map((match) => match[1] ?? "")
      return [{ where: `${source.path}:${lineAt(source.text, call.start)}`, text, ids }]
    })
}

function untested(id: string, where: string): Finding {
  return {
    where,
    wrong: `No test cites ${id}.`,
    instead: `Write a test titled "[${id}] …", or drop the rule.`,
  }
}

function unruled(title: Title, rules: ReadonlyMap<string, string>): readonly Finding[] {
  const unknown = title.ids.filter((id) => !rules.has(id) && !PROMISE.test(id))
  return unknown.map((id) => ({
    where: title.where,
    wrong: `The test cites ${id}, which no README states.`,
    instead: "Add the rule to the room's README, or correct the id.",
  }))
}

function switchedOff(source: Source): readonly Finding[] {
  return callsOf(source.parsed).flatMap((call) => {
    const line = lineAt(source.text, call.start)
    const isOnly = call.path.includes("only")
    const isOff = call.path.includes("skip") || call.path.includes("todo")
    if (!isOnly && !(isOff && !hasReason(source, line))) return []
    const word = isOnly ? "only" : call.path.find((it) => it === "skip" || it === "todo")
    return [
      {
        where: `${source.path}:${line}`,
        wrong: isOnly ? "`.only` hides every other test." : `\`.${word}\` without a reason.`,
        instead: isOnly
          ? "Remove it."
          : "Run it, delete it, or add the reason on the line above: // skipped: the reason.",
      },
    ]
  })
}

function hasReason(source: Source, line: number): boolean {
  const lines = source.text.split("\n").slice(Math.max(0, line - 3), line)
  return lines.some((it) => /\/\/ skipped: .{10,}/i.test(it))
}

/** CI installs strace only for full mode, so a test that needs it elsewhere would never run there. */
function toolInOrdinaryTest(source: Source): readonly Finding[] {
  const isOrdinary = source.path.endsWith(".test.ts") && !source.path.endsWith(".full.test.ts")
  const isInRoom = roomOf(source.path) !== undefined || source.path.startsWith("test/fault/")
  const offset = source.text.search(/\bneeds\("[^"]+", "strace"\)/)
  if (!isOrdinary || !isInRoom || offset < 0) return []
  return [
    {
      where: `${source.path}:${lineAt(source.text, offset)}`,
      wrong: "The test needs strace, and CI would not run it.",
      instead: "Move it to a file named *.full.test.ts, which npm run test:full runs.",
    },
  ]
}

export type Call = {
  readonly path: readonly string[]
  readonly title: string | undefined
  start: number
}

const TEST_WORDS = new Set(["test", "it", "describe", "suite"])

/** Calls such as `test.skip("title", …)` or `describe.runIf(x)("title", …)`, by their names. */
export function callsOf(parsed: ParseResult): readonly Call[] {
  const calls: Call[] = []
  new Visitor({
    CallExpression(node) {
      const path = wordsOf(node.callee)
      if (!TEST_WORDS.has(path[0] ?? "")) return
      calls.push({ path, title: textOf(node.arguments[0]), start: node.start })
    },
  }).visit(parsed.program)
  return calls
}

function wordsOf(node: unknown): readonly string[] {
  if (!isNode(node)) return []
  if (node.type === "Identifier") return typeof node["name"] === "string" ? [node["name"]] : []
  if (node.type === "CallExpression") return wordsOf(node["callee"])
  if (node.type !== "MemberExpression") return []
  return [...wordsOf(node["object"]), ...wordsOf(node["property"])]
}

function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined
  if (node.type !== "TemplateLiteral" || !Array.isArray(node["quasis"])) return undefined
  return node["quasis"].map((part: unknown) => rawOf(part)).join("…")
}

function rawOf(part: unknown): string {
  const value = isNode(part) ? part["value"] : undefined
  return isRecord(value) && typeof value["raw"] === "string" ? value["raw"] : ""
}

function isNode(value: unknown): value is { type: string } & Record<string, unknown> {
  return isRecord(value) && typeof value["type"] === "string"
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null
}
