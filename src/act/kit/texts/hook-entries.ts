import { isDeepStrictEqual } from "node:util"
import { isRecord, type JsonRecord } from "#ground/base"
import { SettingsInvalid } from "../errors.ts"
import { appendAt, readFields, removeAt, setAt } from "./json-text.ts"
import { type Editor, withMark } from "./text.ts"

export type HookEntry = { readonly event: string; readonly entry: JsonRecord }

export type HookFile = {
  readonly path: string
  readonly container: string
  readonly entries: readonly HookEntry[]
  isOurs(text: string): boolean
}

/** Our hooks are appended to the user's lists; the user's entries are never changed or moved. */
export function hookEditor(file: HookFile): Editor {
  return withMark({
    isKnownByItself: true,
    add: (text) => addEntries(file, text),
    strip: (text, before) => stripEntries(file, text, before),
  })
}

export function ownEntries(file: HookFile, text: string): readonly HookEntry[] {
  const lists = listsOf(file, readFields(file.path, text))
  return lists.flatMap(({ event, list }) =>
    list.flatMap((entry) => (isRecord(entry) && isWholly(file, entry) ? [{ event, entry }] : [])),
  )
}

function addEntries(file: HookFile, text: string | undefined): string {
  const isNothing = text === undefined || text.trim() === ""
  const start = isNothing ? "{}\n" : text
  const before = readFields(file.path, start)
  listsOf(file, before)
  let after = start
  for (const { event, entry } of file.entries) {
    const at = [file.container, event]
    const list = valueAt(readFields(file.path, after), at)
    after = list === undefined ? setAt(after, at, [entry]) : appendAt(after, at, entry)
  }
  return validated(file, before, after)
}

/** Parses the result again: it must contain the old fields and our entries. */
function validated(file: HookFile, before: JsonRecord, after: string): string {
  const own = ownEntries(file, after)
  const isWhole =
    own.length === file.entries.length &&
    file.entries.every((it) => own.some((other) => isDeepStrictEqual(it, other)))
  const stripped = stripEntries(file, after, JSON.stringify(before))
  const rest = stripped === undefined ? {} : readFields(file.path, stripped)
  if (!isWhole || !isDeepStrictEqual(rest, before))
    throw SettingsInvalid({ path: file.path, wrong: "the edit would change other settings" })
  return after
}

function stripEntries(
  file: HookFile,
  text: string,
  before: string | undefined,
): string | undefined {
  const had = before === undefined ? {} : readFields(file.path, before)
  let after = text
  for (const { event, list } of listsOf(file, readFields(file.path, text))) {
    const whole = after
    for (let at = list.length - 1; at >= 0; at--) {
      after = stripEntry(file, after, { at: [file.container, event, at], entry: list[at] })
    }
    if (after !== whole) after = dropEmpty(file, after, { at: [file.container, event], had })
  }
  if (after === text) return text
  after = dropEmpty(file, after, { at: [file.container], had })
  const isLeft = Object.keys(readFields(file.path, after)).length > 0
  return isLeft || before !== undefined ? after : undefined
}

type StrippedEntry = { readonly at: (string | number)[]; readonly entry: unknown }

function stripEntry(file: HookFile, text: string, { at, entry }: StrippedEntry): string {
  if (!isRecord(entry)) return text
  if (isWholly(file, entry)) return removeAt(text, at)
  const handlers = handlersOf(entry)
  let after = text
  for (let index = handlers.length - 1; index >= 0; index--) {
    if (isOwnHandler(file, handlers[index])) after = removeAt(after, [...at, "hooks", index])
  }
  return after
}

type Container = { readonly at: string[]; readonly had: JsonRecord }

/** Removes the container only if it is empty and did not exist before us. */
function dropEmpty(file: HookFile, text: string, { at, had }: Container): string {
  const value = valueAt(readFields(file.path, text), at)
  const isEmpty = Array.isArray(value) ? value.length === 0 : isRecord(value) && isBlank(value)
  return isEmpty && valueAt(had, at) === undefined ? removeAt(text, at) : text
}

function isBlank(value: JsonRecord): boolean {
  return Object.keys(value).length === 0
}

type EventList = { readonly event: string; readonly list: readonly unknown[] }

function listsOf(file: HookFile, fields: JsonRecord): readonly EventList[] {
  const container = fields[file.container]
  if (container === undefined) return []
  if (!isRecord(container)) throw wrongType(file, file.container, "an object")
  const ownEvents = new Set(file.entries.map((it) => it.event))
  return Object.entries(container).flatMap(([event, list]) => {
    if (Array.isArray(list)) return [{ event, list }]
    if (ownEvents.has(event)) throw wrongType(file, `${file.container}.${event}`, "a list")
    return []
  })
}

function wrongType(file: HookFile, name: string, expected: string): Error {
  return SettingsInvalid({ path: file.path, wrong: `"${name}" is not ${expected}` })
}

/** All its handlers are ours; an entry to which the user added a handler is not. */
function isWholly(file: HookFile, entry: JsonRecord): boolean {
  if (isOwnHandler(file, entry)) return true
  const handlers = handlersOf(entry)
  return handlers.length > 0 && handlers.every((it) => isOwnHandler(file, it))
}

function handlersOf(entry: JsonRecord): readonly unknown[] {
  const handlers = entry["hooks"]
  return Array.isArray(handlers) ? handlers : []
}

function isOwnHandler(file: HookFile, handler: unknown): boolean {
  if (!isRecord(handler)) return false
  const args: unknown = handler["args"]
  const parts: readonly unknown[] = Array.isArray(args)
    ? [handler["command"], args].flat()
    : [handler["command"]]
  return parts.some((it) => typeof it === "string" && file.isOurs(it))
}

function valueAt(fields: JsonRecord, at: readonly string[]): unknown {
  let value: unknown = fields
  for (const name of at) value = isRecord(value) ? value[name] : undefined
  return value
}
