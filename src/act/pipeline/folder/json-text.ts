import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser"
import { compareText, nearest, nestingOf, visibleLine } from "#ground/base"
import type { ConfigProblem } from "#ground/contract"

/** A longer value is not repeated in a message, because part of it might be part of a secret. */
const LONGEST_REPEATED_CHARACTERS = 80

/** Deeper than any config, but safe for the parser's stack. */
const DEEPEST_NESTING_LEVELS = 64

const MOST_PROBLEMS = 100

export type JsonPath = readonly (string | number)[]

type LineProblem = { readonly line: number; readonly path: JsonPath; readonly problem: string }

export type JsonText =
  | {
      readonly kind: "read"
      readonly value: unknown
      readonly lineOf: (path: JsonPath) => number
      readonly problems: readonly LineProblem[]
    }
  | { readonly kind: "broken"; readonly problems: readonly LineProblem[] }

export function readJsonText(text: string): JsonText {
  const broken = (offset: number, problem: string): JsonText => ({
    kind: "broken",
    problems: [{ line: lineAt(text, offset), path: [], problem }],
  })
  if (nestingOf(text) > DEEPEST_NESTING_LEVELS)
    return broken(0, `it is nested deeper than ${DEEPEST_NESTING_LEVELS} levels`)
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined) return broken(first.offset, `invalid JSON: ${inWords(first)}`)
  if (root === undefined) return broken(0, "it is empty")
  return {
    kind: "read",
    value: valueOf(root),
    lineOf: (path) => lineAt(text, offsetOf(root, path)),
    problems: duplicates(root, []).map((it) => ({ ...it, line: lineAt(text, it.offset) })),
  }
}

function inWords(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
}

function offsetOf(root: Node, path: JsonPath): number {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length))
    if (node === undefined) continue
    const isProperty = length === path.length && node.parent?.type === "property"
    return (isProperty ? node.parent : node)?.offset ?? 0
  }
  return root.offset
}

type Property = { readonly name: string; readonly offset: number; readonly value: Node }

function propertiesOf(object: Node): readonly Property[] {
  return (object.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? []
    if (key === undefined || value === undefined) return []
    return [{ name: String(key.value), offset: key.offset, value }]
  })
}

function valueOf(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(valueOf)
  if (node.type !== "object") return node.value
  return Object.fromEntries(propertiesOf(node).map((it) => [it.name, valueOf(it.value)]))
}

type Duplicate = { readonly offset: number; readonly path: JsonPath; readonly problem: string }

/** With duplicate keys JSON silently keeps the last. */
function duplicates(node: Node, at: JsonPath): readonly Duplicate[] {
  if (node.type === "array")
    return (node.children ?? []).flatMap((it, index) => duplicates(it, [...at, index]))
  const names = new Set<string>()
  return propertiesOf(node).flatMap(({ name, offset, value }) => {
    const path = [...at, name]
    const twice = { offset, path, problem: `${quoted(name)} occurs twice` }
    const own = names.has(name) ? [twice] : []
    names.add(name)
    return [...own, ...duplicates(value, path)]
  })
}

export function inOrder(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const unique = new Map(problems.map((it) => [`${it.file}\n${it.line}\n${it.problem}`, it]))
  return [...unique.values()]
    .toSorted((a, b) => compareText(a.file, b.file) || a.line - b.line)
    .slice(0, MOST_PROBLEMS)
}

export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1))
    line++
  return line
}

export function quoted(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
  if (text.length > LONGEST_REPEATED_CHARACTERS) return `a value of ${text.length} characters`
  return `\`${visibleLine(text)}\``
}

export function choices(value: string, allowed: readonly string[]): string {
  const near = nearest(value, allowed)
  const advice = near === undefined ? "" : `; did you mean \`${near}\`?`
  return `one of ${[...new Set(allowed)].join(", ")}${advice}`
}
