import { formatSearch } from "./search.ts"

export type PipelineAddress = {
  /** Key of the selected section. */
  readonly at: string
  /** Sections that are not as they are by default. */
  readonly turned: readonly string[]
  /** Id of the run it is held against; empty when nothing is compared. */
  readonly other: string
  readonly compare: boolean
  /** Stages of the comparison that are not as they are by default. */
  readonly open: readonly string[]
}

export function parsePipeline(search: string): PipelineAddress {
  const query = new URLSearchParams(search)
  return {
    at: query.get("at") ?? "",
    turned: query.getAll("turned").filter((it) => it !== ""),
    other: query.get("other") ?? "",
    compare: query.get("compare") === "yes",
    open: query.getAll("open").filter((it) => it !== ""),
  }
}

export function formatPipeline({ compare, ...rest }: Partial<PipelineAddress>): string {
  const { at, turned, other, open } = rest
  return formatSearch({ at, turned, other, compare: compare === true ? "yes" : "", open })
}

/** The run of an address like /pipelines/p-12; undefined for every other one. */
export function pipelineIdAt(path: string): string | undefined {
  const id = /^\/pipelines\/([^/]+)$/.exec(path)?.[1]
  if (id === undefined) return undefined
  try {
    return decodeURIComponent(id)
  } catch {
    // A stray % is no code for a character: then the id is what stands there.
    return id
  }
}
