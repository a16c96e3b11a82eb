import { describe, expect, it } from "vitest"
import type { OperationEntry } from "../../data/client.ts"
import {
  type AskStep,
  answer,
  beginAsking,
  describeArguments,
  type PaletteForm,
} from "./argument-prompt.ts"
import { buildEntries, type Entry, type EntryGroup, findEntries, joinGroups } from "./entries.ts"
import { wordsForLines } from "./found-content.ts"
import { markMatches, score } from "./match.ts"

const operation = (name: string, effect: "read" | "write", properties: object): OperationEntry => ({
  name,
  summary: `Does ${name}`,
  effect,
  method: effect === "read" ? "GET" : "POST",
  path: `/api/${name.replace(".", "/")}`,
  input: { type: "object", properties, required: ["file"] },
})

const backup = operation("store.backup", "write", { keep: { type: "integer", minimum: 1 } })
const count = operation("tokens.count", "read", {
  paths: { type: "array", items: { type: "string" }, default: [] },
  exact: { type: "boolean" },
})
const restore = operation("store.restore", "write", { file: { type: "string", minLength: 1 } })
const context = { operations: [backup, count, restore], scope: "now", isReadOnly: false } as const

function asking(step: AskStep): PaletteForm {
  if (step.kind !== "ask") throw new Error(`expected a question, got ${step.kind}`)
  return step.asking
}

describe("palette", () => {
  it.for([
    ["r", ""],
    ["ro", "ro"],
    ["round h", "round"],
    ["round ha", "round ha"],
    ["a b", "a"],
    ["cacheR", "cacheR"],
    ["…", ""],
    ["é", ""],
  ] as const)("[CONSOLE-64] of %j the texts of sessions are searched for %j", ([typed, words]) => {
    expect(wordsForLines(typed)).toBe(words)
  })

  it("[CONSOLE-10] it asks for one argument after another and omits empty optional ones", () => {
    const first = asking(beginAsking(count))
    const second = asking(answer(first, "CLAUDE.md"))
    const third = asking(answer(second, "docs/a, b.md"))
    const last = asking(answer(third, ""))
    expect(describeArguments(last.given)).toBe("paths CLAUDE.md, docs/a, b.md")
    expect(answer(last, "")).toEqual({
      kind: "ready",
      operation: count,
      input: { paths: ["CLAUDE.md", "docs/a, b.md"] },
    })
  })

  it("[CONSOLE-10] an invalid argument is reported with the reason, a missing one with what is expected", () => {
    expect(answer(asking(beginAsking(backup)), "0")).toEqual({
      kind: "wrong",
      message: "A whole number, at least 1",
    })
    expect(answer(asking(beginAsking(restore)), "")).toEqual({
      kind: "wrong",
      message: "file is required",
    })
  })

  it("[CONSOLE-10] an operation without arguments is ready at once", () => {
    const check = operation("store.check", "read", {})
    expect(beginAsking(check)).toEqual({ kind: "ready", operation: check, input: {} })
  })

  it("[CONSOLE-10] a read-only console offers no operation that writes", () => {
    const ids = (isReadOnly: boolean) =>
      buildEntries({ ...context, isReadOnly, isBound: () => true }).map((it) => it.id)
    expect(ids(false)).toContain("run store.backup")
    expect(ids(true)).not.toContain("run store.backup")
    expect(ids(true)).toContain("run tokens.count")
  })

  it("[CONSOLE-10] keys without an active handler are not offered", () => {
    const entries = buildEntries({ ...context, isBound: (id) => id === "now.check" })
    expect(entries.every((it) => it.group !== "Operations" || it.keys === undefined)).toBe(true)
    expect(entries.filter((it) => it.action.kind === "key").map((it) => it.id)).toEqual([
      "key now.check",
    ])
  })

  it("[CONSOLE-10] the best match is the first entry of the first group", () => {
    const entries = buildEntries({ ...context, isBound: () => true })
    expect(findEntries(entries, "sett", [])[0]?.entries[0]?.id).toBe("go settings")
    expect(findEntries(entries, "store.b", [])[0]?.entries[0]?.id).toBe("run store.backup")
    expect(findEntries(entries, "zzz", [])).toEqual([])
  })

  it("[CONSOLE-10] with an empty query the most recently used entries come first, without duplicates", () => {
    const entries = buildEntries({ ...context, isBound: () => true })
    const groups = findEntries(entries, "", ["run tokens.count", "gone"])
    expect(groups[0]).toMatchObject({ group: "Recent", entries: [{ id: "run tokens.count" }] })
    const ids = groups.flatMap((it) => it.entries.map((entry) => entry.id))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("[CONSOLE-64] content comes after a page or operation that is clearly meant, before weak matches", () => {
    const entries = buildEntries({ ...context, isBound: () => true })
    const file: Entry = {
      id: "file src/restore.ts",
      group: "Files",
      icon: "file",
      label: "src/restore.ts",
      verb: "Open",
      action: { kind: "place", href: "/map" },
    }
    const content: readonly EntryGroup[] = [{ group: "Files", entries: [file] }]
    const order = (query: string) =>
      joinGroups(findEntries(entries, query, []), content, query).map((it) => it.group)
    expect(order("store.re")).toEqual(["Operations", "Files"])
    expect(order("restore")).toEqual(["Files", "Operations"])
    expect(order("zzz")).toEqual(["Files"])
  })

  it.each([
    ["Go to Settings", "", "set", 60],
    ["Settings", "", "set", 100],
    ["Back up", "store.backup", "store", 80],
    ["Restore", "", "store", 30],
    ["Settings", "", "set zz", 0],
  ])("[CONSOLE-10] %s (%s) scores for the query %j: %i", (...[label, words, query, expected]) => {
    expect(score({ label, words }, query)).toBe(expected)
  })

  it("[CONSOLE-10] it highlights the typed text and leaves the rest unchanged", () => {
    const pieces = markMatches("Compare with the last capture", "cap comp")
    expect(pieces.filter((it) => it.isMatch).map((it) => it.text)).toEqual(["Comp", "cap"])
    expect(pieces.map((it) => it.text).join("")).toBe("Compare with the last capture")
    expect(markMatches("\u{1F4E6} pack", "pack")).toEqual([
      { text: "\u{1F4E6} ", isMatch: false },
      { text: "pack", isMatch: true },
    ])
  })
})
