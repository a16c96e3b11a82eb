import { useKey } from "../../ui/keys/keys.tsx"

type ListKeys = {
  readonly ids: readonly string[]
  /** The selected one, or what is none of them. */
  readonly at: string
  onMove(id: string): void
}

/** j, k, Home and End over the rows of a list. */
export function useListKeys({ ids, at, onMove }: ListKeys): void {
  const index = ids.indexOf(at)
  const move = (id: string | undefined) => (id === undefined ? undefined : onMove(id))
  useKey("list.next", () => move(ids[index + 1]))
  useKey("list.previous", () => move(ids[index < 0 ? ids.length - 1 : index - 1]))
  useKey("list.first", () => move(ids[0]))
  useKey("list.last", () => move(ids.at(-1)))
}
