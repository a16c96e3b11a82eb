import { describe, expect, it } from "vitest"
import { KEYMAP } from "./keymap.ts"
import { defineKeymap, findClash, type KeyRow, rowsActiveIn, scopesOf } from "./scopes.ts"
import { formatPress, matchPresses } from "./use-keymap.ts"

const row = (id: string, keys: readonly string[], scope: KeyRow["scope"]): KeyRow => ({
  id,
  keys,
  scope,
  label: id,
})

describe("defineKeymap", () => {
  it("[CONSOLE-1] the shipped KEYMAP binds no key to two actions", () => {
    expect(findClash(KEYMAP)).toBeUndefined()
    expect(new Set(KEYMAP.map((it) => it.id)).size).toBe(KEYMAP.length)
    expect(KEYMAP.length).toBeGreaterThan(10)
  })

  it.each([
    ["the same key in one scope", row("a", ["d"], "events"), row("b", ["d"], "events")],
    ["a page over everywhere", row("a", ["d"], "everywhere"), row("b", ["d"], "events")],
    ["a page over its list", row("a", ["j"], "list"), row("b", ["x", "j"], "events")],
    ["a key that begins another", row("a", ["g"], "events"), row("b", ["g e"], "everywhere")],
  ])("[CONSOLE-1] defineKeymap throws on a conflict: %s", (_says, one, other) => {
    expect(findClash([one, other])).toContain("means a and b")
    expect(findClash([other, one])).toContain("means b and a")
    const tuplesOf = (scope: KeyRow["scope"]) =>
      [one, other]
        .filter((it) => it.scope === scope)
        .map((it) => [it.id, it.keys.join(" or "), it.label] as const)
    const table = { [one.scope]: tuplesOf(one.scope), [other.scope]: tuplesOf(other.scope) }
    expect(() => defineKeymap(table)).toThrow("invariant broken")
  })

  it("[CONSOLE-1] two pages may bind one key to different actions because they are never open together", () => {
    expect(findClash([row("a", ["d"], "events"), row("b", ["d"], "settings")])).toBeUndefined()
  })

  it("[CONSOLE-1] a page handles its own keys first, then list keys, then global keys", () => {
    expect(scopesOf("events")).toEqual(["events", "list", "everywhere"])
    expect(rowsActiveIn(KEYMAP, "now").map((it) => it.scope)).not.toContain("events")
  })
})

describe("key presses", () => {
  const press = { metaKey: false, ctrlKey: false, altKey: false, isApple: false }

  it.each([
    [{ ...press, key: "k", ctrlKey: true }, "mod+k"],
    [{ ...press, key: "k", metaKey: true, isApple: true }, "mod+k"],
    [{ ...press, key: "k", ctrlKey: true, isApple: true }, undefined],
    [{ ...press, key: "k", metaKey: true }, undefined],
    [{ ...press, key: "K", ctrlKey: true }, "mod+k"],
    [{ ...press, key: "Enter", ctrlKey: true }, "mod+Enter"],
    [{ ...press, key: "?" }, "?"],
    [{ ...press, key: " " }, "Space"],
    [{ ...press, key: "Shift" }, undefined],
    [{ ...press, key: "x", altKey: true }, undefined],
    [{ ...press, key: "ArrowUp", altKey: true }, "alt+ArrowUp"],
    [{ ...press, key: "ArrowUp", altKey: true, isApple: true }, "alt+ArrowUp"],
    [{ ...press, key: "ArrowUp", altKey: true, ctrlKey: true }, undefined],
    [{ ...press, key: "ArrowLeft", altKey: true }, undefined],
  ])("[CONSOLE-2] the key event %o is written as %s", (given, expected) => {
    expect(formatPress(given)).toBe(expected)
  })

  it("[CONSOLE-2] a binding of two key presses waits for the second", () => {
    const rows = rowsActiveIn(KEYMAP, "now")
    expect(matchPresses(rows, ["g"])).toEqual({ kind: "begun" })
    expect(matchPresses(rows, ["g", "e"])).toMatchObject({ kind: "row", row: { id: "go.events" } })
    expect(matchPresses(rows, ["g", "q"])).toEqual({ kind: "none" })
    expect(matchPresses(rows, ["z"])).toEqual({ kind: "none" })
  })
})
