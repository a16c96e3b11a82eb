import { useKey } from "../../ui/keys/keys.tsx"

type ListKeys = {
  readonly keys: readonly string[]
  readonly at: string
  /** Of two lists that stand side by side only one is moved in. */
  readonly isActive: boolean
  onMove(key: string): void
}

/** Moves the selection; where there is none, down begins at the top and up at the end. */
export function useListKeys({ keys, at, isActive, onMove }: ListKeys): void {
  const index = keys.indexOf(at)
  const go = (to: string | undefined) => (to === undefined ? undefined : onMove(to))
  const bound = (act: () => void) => (isActive ? act : undefined)
  useKey(
    "list.next",
    bound(() => go(keys[index + 1])),
  )
  useKey(
    "list.previous",
    bound(() => go(keys[index < 0 ? keys.length - 1 : index - 1])),
  )
  useKey(
    "list.first",
    bound(() => go(keys[0])),
  )
  useKey(
    "list.last",
    bound(() => go(keys.at(-1))),
  )
}
