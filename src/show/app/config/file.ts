import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"
import { nearest, nestingOf, visibleLine } from "#ground/base"
import { type ConfigField, configFields, describeIssue } from "#ground/contract"

export type ConfigProblem = {
  readonly place: string
  readonly line?: number
  readonly column?: number
  readonly key?: string
  readonly message: string
}

type FoundSetting = { readonly key: string; readonly value: unknown; readonly line: number }

export type ConfigFileContent = {
  readonly settings: readonly FoundSetting[]
  readonly problems: readonly ConfigProblem[]
}

/** Deeper than our schema, shallower than the parser's recursion limit (about 8,000). */
const DEEPEST_NESTING_LEVELS = 100

/** JSON, with comments and trailing commas allowed. */
export function readConfigText(file: string, text: string): ConfigFileContent {
  const places = createPlaces(file, text)
  if (nestingOf(text) > DEEPEST_NESTING_LEVELS) {
    const message = `nested deeper than ${DEEPEST_NESTING_LEVELS} levels`
    return { settings: [], problems: [{ place: file, message }] }
  }
  if (text.trim() === "") return { settings: [], problems: [] }

  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  if (errors.length > 0 || root === undefined) {
    const first = errors[0]
    const message = `not valid JSON: ${first === undefined ? "the file is empty" : saySyntax(first)}`
    return { settings: [], problems: [places.problem(first?.offset ?? 0, message)] }
  }
  if (root.type !== "object") {
    const message = `expected an object in braces, found ${sayType(root)}`
    return { settings: [], problems: [places.problem(root.offset, message)] }
  }
  return readSections(root, places)
}

type ConfigPaths = ReturnType<typeof createPlaces>
type Property = { readonly name: string; readonly offset: number; readonly value: Node }

function readSections(root: Node, places: ConfigPaths): ConfigFileContent {
  const fields = configFields()
  const sections = [...new Set(fields.map((it) => it.section))]
  const settings: FoundSetting[] = []
  const problems: ConfigProblem[] = [...findDuplicates(root, places)]

  for (const property of propertiesOf(root)) {
    // Used by editors; not a setting.
    if (property.name === "$schema") continue
    const fieldsOfSection = fields.filter((it) => it.section === property.name)
    if (fieldsOfSection.length === 0) {
      const message = sayUnknownKey(property.name, property.name, sections)
      problems.push(places.problem(property.offset, message, property.name))
    } else if (property.value.type !== "object") {
      const message = `"${property.name}" must be an object, found ${sayType(property.value)}`
      problems.push(places.problem(property.value.offset, message, property.name))
    } else {
      const section = readFields(property, fieldsOfSection, places)
      settings.push(...section.settings)
      problems.push(...section.problems)
    }
  }
  return { settings, problems }
}

function readFields(
  section: Property,
  fields: readonly ConfigField[],
  places: ConfigPaths,
): ConfigFileContent {
  const settings: FoundSetting[] = []
  const problems: ConfigProblem[] = [...findDuplicates(section.value, places)]
  for (const property of propertiesOf(section.value)) {
    const key = `${section.name}.${property.name}`
    const field = fields.find((it) => it.key === key)
    if (field === undefined) {
      const names = fields.map((it) => it.name)
      const message = sayUnknownKey(key, property.name, names)
      problems.push(places.problem(property.offset, message, key))
      continue
    }
    const value = asListText(field, valueOf(property.value))
    const message = complainAbout(field, value)
    if (message === undefined) {
      settings.push({ key, value, line: places.lineOf(property.offset) })
    } else {
      problems.push(places.problem(property.value.offset, message, key))
    }
  }
  return { settings, problems }
}

/** A JSON array of texts as the text of the list. An item with the separator stays wrong. */
export function asListText({ list }: ConfigField, value: unknown): unknown {
  if (list === undefined || !Array.isArray(value)) return value
  const isSplit = (it: string) => it.replace(/\{[^{}]*\}/g, "").includes(list)
  const isList = value.every((it) => typeof it === "string" && !isSplit(it))
  return isList ? value.join(list === " " ? list : `${list} `) : value
}

/** The value of a secret setting is never part of the message. */
export function complainAbout(field: ConfigField, value: unknown): string | undefined {
  const parsed = field.schema.safeParse(value)
  if (parsed.success) return undefined
  const context = { input: value, name: field.key, isSecret: field.isSecret }
  return visibleLine(parsed.error.issues.map((it) => describeIssue(it, context)).join("; "))
}

/** A longer list hides the message; `qm config show` prints all settings. */
const MOST_LISTED_KEYS = 12

export function sayUnknownKey(key: string, word: string, names: readonly string[]): string {
  const near = nearest(word, names)
  const name = `unknown key "${visibleLine(key)}"`
  if (near !== undefined) return `${name}; did you mean "${near}"?`
  return names.length <= MOST_LISTED_KEYS ? `${name}; known keys: ${names.join(", ")}` : name
}

function findDuplicates(object: Node, places: ConfigPaths): ConfigProblem[] {
  const seen = new Map<string, number>()
  const problems: ConfigProblem[] = []
  for (const { name, offset } of propertiesOf(object)) {
    const first = seen.get(name)
    if (first === undefined) {
      seen.set(name, offset)
      continue
    }
    const message = `"${visibleLine(name)}" is set twice; the first is on line ${places.lineOf(first)}`
    problems.push(places.problem(offset, message, name))
  }
  return problems
}

function propertiesOf(object: Node): Property[] {
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

function sayType(node: Node): string {
  return node.type === "null" ? "null" : `${node.type === "array" ? "an" : "a"} ${node.type}`
}

function saySyntax(error: ParseError): string {
  const words = printParseErrorCode(error.error).replace(/([a-z])([A-Z])/g, "$1 $2")
  return words.toLowerCase()
}

function createPlaces(file: string, text: string) {
  const lineStarts = [0]
  for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) lineStarts.push(i + 1)

  const lineOf = (offset: number): number => {
    const after = lineStarts.findIndex((start) => start > offset)
    return after === -1 ? lineStarts.length : after
  }
  const problem = (offset: number, message: string, key?: string): ConfigProblem => {
    const line = lineOf(offset)
    const column = offset - (lineStarts[line - 1] ?? 0) + 1
    const where = { place: `${file}:${line}:${column}`, line, column }
    return key === undefined ? { ...where, message } : { ...where, key, message }
  }
  return { lineOf, problem }
}
