import { useKey } from "../../ui/keys/keys.tsx"
import { canOpen } from "./flat.ts"
import type { RowDoes } from "./row-does.ts"
import type { RowsState } from "./use-rows.ts"

type RowKeys = {
  readonly rows: RowsState
  readonly does: RowDoes
  toLatest(): void
  toFirst(): void
}

export function useRowKeys({ rows, does, toLatest, toFirst }: RowKeys): void {
  const { index, selected } = rows
  const go = (to: number) => {
    const row = rows.rows[to]
    if (row !== undefined) does.pick(row.key, row.entry.seq)
  }
  const last = rows.rows.length - 1
  useKey("list.next", () => go(index < 0 ? last : index + 1))
  useKey("list.previous", () => go(index < 0 ? last : index - 1))
  useKey("list.first", toFirst)
  useKey("run.first", toFirst)
  useKey("list.last", toLatest)
  const isFoldable = selected !== undefined && canOpen(selected.entry)
  useKey("run.open", isFoldable ? () => rows.toggle(selected) : undefined)
  useKey("run.expand", isFoldable ? () => rows.expand(selected) : undefined)
}
