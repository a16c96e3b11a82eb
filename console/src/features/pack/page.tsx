import type { PackParams } from "../../data/paths.ts"
import { Builder } from "./builder.tsx"
import { Compare } from "./compare.tsx"
import { Start } from "./start.tsx"

type PackPageProps = {
  readonly now: number
  readonly params: PackParams
  onParams(change: Partial<PackParams>, how?: "push" | "replace"): void
}

/** A package for a task: asked for, made, looked at, changed, kept, compared. */
export function PackPage(props: PackPageProps) {
  const { compare, task, id } = props.params
  if (compare) return <Compare {...props} />
  if (id === "" && task.trim() === "") return <Start {...props} />
  return <Builder {...props} />
}
