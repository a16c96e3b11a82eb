import type { PackSearch } from "../../data/pack-search.ts"
import { Builder } from "./builder.tsx"
import { Compare } from "./compare.tsx"
import { Start } from "./start.tsx"

type PackPageProps = {
  readonly now: number
  readonly search: PackSearch
  onSearch(change: Partial<PackSearch>, how?: "push" | "replace"): void
}

/** A package for a task: asked for, made, looked at, changed, kept, compared. */
export function PackPage(props: PackPageProps) {
  const { compare, task, id } = props.search
  if (compare) return <Compare {...props} />
  if (id === "" && task.trim() === "") return <Start {...props} />
  return <Builder {...props} />
}
