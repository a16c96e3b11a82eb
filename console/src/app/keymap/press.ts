import type { KeyRow } from "./scopes.ts"

export type Press = {
  readonly key: string
  readonly metaKey: boolean
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly isApple: boolean
}

/** The press in the words of the keymap: `mod+k`, `?`, `Escape`; undefined for a lone modifier. */
export function sayPress(press: Press): string | undefined {
  if (["Shift", "Meta", "Control", "Alt", "Dead"].includes(press.key)) return undefined
  const hasMod = press.isApple ? press.metaKey : press.ctrlKey
  const hasOther = press.altKey || (press.isApple ? press.ctrlKey : press.metaKey)
  // Moving a row up and down is the one thing that alt does here.
  const isMove = press.altKey && /^Arrow(Up|Down)$/.test(press.key)
  if (isMove && !press.metaKey && !press.ctrlKey) return `alt+${press.key}`
  // Other modifiers belong to the browser and to the system.
  if (hasOther) return undefined
  const key = press.key === " " ? "Space" : press.key
  // With caps lock a letter is a large one; the name of a key stays.
  return hasMod ? `mod+${key.length === 1 ? key.toLowerCase() : key}` : key
}

export type KeyMatch =
  | { readonly kind: "row"; readonly row: KeyRow }
  /** The first press of a longer binding: wait for the next. */
  | { readonly kind: "begun" }
  | { readonly kind: "none" }

export function matchPresses(rows: readonly KeyRow[], presses: readonly string[]): KeyMatch {
  const typed = presses.join(" ")
  const row = rows.find((it) => it.keys.includes(typed))
  if (row !== undefined) return { kind: "row", row }
  const isBegun = rows.some((it) => it.keys.some((keys) => keys.startsWith(`${typed} `)))
  return isBegun ? { kind: "begun" } : { kind: "none" }
}
