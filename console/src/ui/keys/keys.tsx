import { createContext, useContext, useEffect, useEffectEvent } from "react"
import { Kbd } from "../kbd/kbd.tsx"

/**
 * The part of the keymap that `ui` needs: the keys of an action, and registration of its handler.
 */
export type KeyBindings = {
  keysOf(id: string): readonly string[]
  bind(id: string, act: () => void): () => void
  press(id: string): void
  isBound(id: string): boolean
}

const NO_BINDINGS: KeyBindings = {
  keysOf: () => [],
  bind: () => () => undefined,
  press: () => undefined,
  isBound: () => false,
}

export const KeysContext = createContext<KeyBindings>(NO_BINDINGS)

export const useKeyBindings = (): KeyBindings => useContext(KeysContext)

export function useKey(id: string, act: (() => void) | undefined): void {
  const { bind } = useContext(KeysContext)
  const latest = useEffectEvent(() => act?.())
  const isBound = act !== undefined
  useEffect(() => (isBound ? bind(id, () => latest()) : undefined), [bind, id, isBound])
}

export function KeyHint({ id, onFill }: { readonly id: string; readonly onFill?: boolean }) {
  const [keys] = useContext(KeysContext).keysOf(id)
  return keys === undefined ? null : <Kbd keys={keys} onFill={onFill === true} />
}

export function useTip(label: string, id: string | undefined): string {
  const { keysOf } = useContext(KeysContext)
  const [keys] = id === undefined ? [] : keysOf(id)
  return keys === undefined ? label : `${label}, ${keys}`
}
