import type { PageProps } from "../../data/params.ts"
import type { PackParams } from "../../data/paths.ts"
import { Builder } from "./builder.tsx"
import { Compare } from "./compare.tsx"
import { Start } from "./start.tsx"

type PackPageProps = PageProps<PackParams>

export function PackPage(props: PackPageProps) {
  const { compare, task, id } = props.params
  if (compare) return <Compare {...props} />
  if (id === "" && task.trim() === "") return <Start {...props} />
  return <Builder {...props} />
}
