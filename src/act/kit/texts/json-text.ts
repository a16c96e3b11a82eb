import {
  applyEdits,
  createScanner,
  type FormattingOptions,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser"
import { isRecord, type JsonRecord, nestingOf } from "#ground/base"
import { SettingsInvalid } from "../errors.ts"
import { type Editor, lineEndOf, withMark } from "./text.ts"

/** Deeper than any settings file; a recursive parser fails at about 8,000. */
const DEEPEST_NESTING_LEVELS = 100

export function readFields(file: string, text: string): JsonRecord {
  if (text.trim() === "") return {}
  if (nestingOf(text) > DEEPEST_NESTING_LEVELS)
    throw SettingsInvalid({
      path: file,
      wrong: `it is nested deeper than ${DEEPEST_NESTING_LEVELS} levels`,
    })
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined)
    throw SettingsInvalid({ path: file, wrong: formatSyntaxError(text, first) })
  if (!isRecord(value)) throw SettingsInvalid({ path: file, wrong: "it is not a JSON object" })
  refuseDoubles(file, text)
  return value
}

export function setAt(text: string, at: JSONPath, value: unknown): string {
  return applyEdits(text, modify(text, at, value, { formattingOptions: styleOf(text) }))
}

export function appendAt(text: string, list: JSONPath, value: unknown): string {
  const options = { formattingOptions: styleOf(text), isArrayInsertion: true }
  return applyEdits(text, modify(text, [...list, -1], value, options))
}

/**
 * Removes an element or field with its comma. jsonc-parser leaves an extra comma before a trailing
 * comma, so this is our own.
 */
export function removeAt(text: string, at: JSONPath): string {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const value = root === undefined ? undefined : findNodeAtLocation(root, at)
  const node = value?.parent?.type === "property" ? value.parent : value
  if (node?.parent === undefined) return text
  const end = node.offset + node.length
  const after = commaAfter(text, end)
  if (after !== undefined) return cut(text, { start: node.offset, end: after + 1 })
  const siblings = node.parent.children ?? []
  const before = siblings[siblings.indexOf(node) - 1]
  const shorter = cut(text, { start: node.offset, end })
  if (before === undefined) return shorter
  const comma = commaAfter(text, before.offset + before.length) ?? node.offset
  return shorter.slice(0, comma) + shorter.slice(comma + 1)
}

function commaAfter(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === "," ? at : undefined
}

/**
 * Removes the whole line if nothing else is on it; the following text must not end up in a comment
 * above.
 */
function cut(text: string, { start, end }: { start: number; end: number }): string {
  const isAlone = /^[ \t]*(?:\r?\n|$)/.test(text.slice(end))
  const lead = isAlone ? (/\r?\n[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0) : 0
  return text.slice(0, start - lead) + text.slice(end)
}

function styleOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  "
  const isTabs = indent.startsWith("\t")
  return {
    insertSpaces: !isTabs,
    tabSize: isTabs ? 1 : Math.min(indent.length, WIDEST_INDENT),
    eol: lineEndOf(text),
  }
}

const WIDEST_INDENT = 8

/**
 * With a duplicate key one tool edits the first and another reads the last. Checked only where we
 * edit: at the top and one level below.
 */
function refuseDoubles(file: string, text: string): void {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const sections = (root?.children ?? []).flatMap((it) => it.children?.[1] ?? [])
  for (const node of [root, ...sections]) {
    if (node?.type !== "object") continue
    const names = (node.children ?? []).map((it) => String(it.children?.[0]?.value))
    const double = names.find((name, at) => names.indexOf(name) !== at)
    if (double !== undefined)
      throw SettingsInvalid({ path: file, wrong: `the key "${double}" occurs twice` })
  }
}

function formatSyntaxError(text: string, error: ParseError): string {
  const line = text.slice(0, error.offset).split("\n").length
  const message = printParseErrorCode(error.error).replace(/([a-z])([A-Z])/g, "$1 $2")
  return `it is not valid JSON (${message.toLowerCase()}, line ${line})`
}

export function settingEditor(file: {
  readonly path: string
  readonly section: string
  readonly name: string
  readonly value: unknown
}): Editor {
  const at = [file.section, file.name]
  return withMark({
    isKnownByItself: false,
    add(text) {
      const start = text === undefined || text.trim() === "" ? "{}\n" : text
      readSetting(file, start)
      return setAt(start, at, file.value)
    },
    strip(text, before) {
      if (readSetting(file, text) === undefined) return text
      const had = before === undefined ? undefined : readSetting(file, before)
      const after = had === undefined ? removeAt(text, at) : setAt(text, at, had)
      const section = readFields(file.path, after)[file.section]
      const isEmpty = isRecord(section) && Object.keys(section).length === 0
      const wasThere = before !== undefined && readFields(file.path, before)[file.section]
      const rest = isEmpty && !wasThere ? removeAt(after, [file.section]) : after
      const isLeft = Object.keys(readFields(file.path, rest)).length > 0
      return isLeft || before !== undefined ? rest : undefined
    },
  })
}

/**
 * A field of the whole file. The user's own value stays unless `mayReplace`, and comes back when
 * ours is removed.
 */
export function fieldEditor(file: {
  readonly path: string
  readonly name: string
  readonly value: unknown
  readonly mayReplace: boolean
  isOurs(value: unknown): boolean
}): Editor {
  const { name } = file
  return withMark({
    isKnownByItself: true,
    add(text) {
      const start = text === undefined || text.trim() === "" ? "{}\n" : text
      const own = readFields(file.path, start)[name]
      return own === undefined || file.mayReplace ? setAt(start, [name], file.value) : start
    },
    strip(text, before) {
      const fields = readFields(file.path, text)
      if (fields[name] === undefined || !file.isOurs(fields[name])) return text
      const had = before === undefined ? undefined : readFields(file.path, before)[name]
      const after = had === undefined ? removeAt(text, [name]) : setAt(text, [name], had)
      const isLeft = Object.keys(readFields(file.path, after)).length > 0
      return isLeft || before !== undefined ? after : undefined
    },
  })
}

export function readSetting(
  file: { readonly path: string; readonly section: string; readonly name: string },
  text: string,
): unknown {
  const section = readFields(file.path, text)[file.section]
  if (section === undefined) return undefined
  if (isRecord(section)) return section[file.name]
  throw SettingsInvalid({ path: file.path, wrong: `"${file.section}" is not an object` })
}
