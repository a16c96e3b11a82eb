import { useState } from "react"
import type { PackParams } from "../../data/paths.ts"
import { useKey } from "../../ui/keys/keys.tsx"
import type { Choices } from "./choices.ts"

/** More steps back than anybody counts. */
const MOST_STEPS = 100

type Edits = {
  readonly choices: Choices
  onParams(change: Partial<PackParams>): void
}

export type Change = (next: Choices, also?: Partial<PackParams>) => void

export function useEdits({ choices, onParams }: Edits): Change {
  const [past, setPast] = useState<readonly Choices[]>([])
  const before = past.at(-1)
  const undo = () => {
    if (before === undefined) return
    setPast(past.slice(0, -1))
    onParams({ ...before, id: "" })
  }
  useKey("undo", before === undefined ? undefined : undo)
  return (next, also = {}) => {
    if (next === choices) return
    setPast([...past, choices].slice(-MOST_STEPS))
    onParams({ ...next, ...also, id: "" })
  }
}
