import { useEffect, useMemo, useRef } from "react"
import type { Clock } from "../../data/clock.ts"
import { isApple } from "../../ui/kbd/kbd.tsx"
import type { KeyBindings } from "../../ui/keys/keys.tsx"
import { KEYMAP } from "./keymap.ts"
import { type KeyRow, rowsActiveIn, type Scope } from "./scopes.ts"

const SECOND_PRESS_MS = 1_200

export function useKeymap(scope: Scope, clock: Clock): KeyBindings {
  const doers = useRef(new Map<string, (() => void)[]>())
  const presses = useRef<{ keys: readonly string[]; at: number }>({ keys: [], at: 0 })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const press = formatPress({
        key: event.key,
        metaKey: event.metaKey,
        ctrlKey: event.ctrlKey,
        altKey: event.altKey,
        isApple: isApple(),
      })
      if (press === undefined || event.defaultPrevented || isForField(event, press)) return
      const isFresh = clock.now() - presses.current.at < SECOND_PRESS_MS
      const before = isFresh ? presses.current.keys : []
      const rows = rowsActiveIn(KEYMAP, scope)
      const longer = matchPresses(rows, [...before, press])
      const match = longer.kind === "none" ? matchPresses(rows, [press]) : longer
      const begun = longer.kind === "none" ? [press] : [...before, press]
      presses.current = { keys: match.kind === "begun" ? begun : [], at: clock.now() }
      const act = match.kind === "row" ? doers.current.get(match.row.id)?.at(-1) : undefined
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    document.addEventListener("keydown", onKeyDown)
    return () => document.removeEventListener("keydown", onKeyDown)
  }, [scope, clock])
  return useMemo(() => createBindings(doers.current), [])
}

function isForField(event: KeyboardEvent, press: string): boolean {
  const target = event.target instanceof Element ? event.target : null
  if (target === null) return false
  if (target.closest("[role=dialog], [role=menu]") !== null) return true
  if (press === "Enter" && target.closest("button, a, [role=tab]") !== null) return true
  if (press === "Space" && target.closest("button, [role=tab]") !== null) return true
  const isWriting = target.closest("input:not([type=radio]), textarea, select") !== null
  return isWriting && !press.startsWith("mod+k")
}

function createBindings(doers: Map<string, (() => void)[]>): KeyBindings {
  return {
    keysOf: (id) => KEYMAP.find((it) => it.id === id)?.keys ?? [],
    isBound: (id) => (doers.get(id)?.length ?? 0) > 0,
    press: (id) => doers.get(id)?.at(-1)?.(),
    bind(id, act) {
      // The handler bound last belongs to the innermost layer; when it unbinds, the previous one is
      // active again.
      doers.set(id, [...(doers.get(id) ?? []), act])
      return () => {
        doers.set(
          id,
          (doers.get(id) ?? []).filter((it) => it !== act),
        )
      }
    },
  }
}

type Press = {
  readonly key: string
  readonly metaKey: boolean
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly isApple: boolean
}

/** The key press in keymap notation (`mod+k`, `?`, `Escape`), or undefined for a lone modifier. */
export function formatPress(press: Press): string | undefined {
  if (["Shift", "Meta", "Control", "Alt", "Dead"].includes(press.key)) return undefined
  const hasMod = press.isApple ? press.metaKey : press.ctrlKey
  const hasOther = press.altKey || (press.isApple ? press.ctrlKey : press.metaKey)
  // Alt is used only to move a row up or down.
  const isMove = press.altKey && /^Arrow(Up|Down)$/.test(press.key)
  if (isMove && !press.metaKey && !press.ctrlKey) return `alt+${press.key}`
  // Other modifiers belong to the browser and the operating system.
  if (hasOther) return undefined
  const key = press.key === " " ? "Space" : press.key
  // With Caps Lock a letter is upper case; key names such as Enter keep their spelling.
  return hasMod ? `mod+${key.length === 1 ? key.toLowerCase() : key}` : key
}

type KeyMatch =
  | { readonly kind: "row"; readonly row: KeyRow }
  | { readonly kind: "begun" }
  | { readonly kind: "none" }

export function matchPresses(rows: readonly KeyRow[], presses: readonly string[]): KeyMatch {
  const typed = presses.join(" ")
  const row = rows.find((it) => it.keys.includes(typed))
  if (row !== undefined) return { kind: "row", row }
  const isBegun = rows.some((it) => it.keys.some((keys) => keys.startsWith(`${typed} `)))
  return isBegun ? { kind: "begun" } : { kind: "none" }
}
