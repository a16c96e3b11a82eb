import { useEffect, useMemo, useRef } from "react"
import type { Clock } from "../../data/clock.ts"
import { isApple } from "../../ui/kbd/platform.ts"
import type { KeyBindings } from "../../ui/keys/keys.tsx"
import { KEYMAP } from "./keymap.ts"
import { matchPresses, sayPress } from "./press.ts"
import { rowsHeardIn, type Scope } from "./scopes.ts"

/** So long a begun binding waits for its second press. */
const SECOND_PRESS_MS = 1_200

/** Listens to the keyboard for the page that is open, and tells `ui` which keys do what. */
export function useKeymap(scope: Scope, clock: Clock): KeyBindings {
  const doers = useRef(new Map<string, (() => void)[]>())
  const presses = useRef<{ keys: readonly string[]; at: number }>({ keys: [], at: 0 })
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      const press = sayPress({
        key: event.key,
        metaKey: event.metaKey,
        ctrlKey: event.ctrlKey,
        altKey: event.altKey,
        isApple: isApple(),
      })
      if (press === undefined || event.defaultPrevented || isForField(event, press)) return
      const isFresh = clock.now() - presses.current.at < SECOND_PRESS_MS
      const before = isFresh ? presses.current.keys : []
      const rows = rowsHeardIn(KEYMAP, scope)
      const longer = matchPresses(rows, [...before, press])
      // A second press that continues nothing begins anew.
      const match = longer.kind === "none" ? matchPresses(rows, [press]) : longer
      const begun = longer.kind === "none" ? [press] : [...before, press]
      presses.current = { keys: match.kind === "begun" ? begun : [], at: clock.now() }
      const act = match.kind === "row" ? doers.current.get(match.row.id)?.at(-1) : undefined
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    document.addEventListener("keydown", hear)
    return () => document.removeEventListener("keydown", hear)
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
      // The one bound last is the innermost layer: it acts, and the one before it comes back.
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
