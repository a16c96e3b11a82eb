import { z } from "zod"
import { PipelineDocument } from "#ground/contract"
import type { RunState } from "./state.ts"

const Output = z.object({
  title: z.string().default(""),
  markdown: z.string(),
  references: PipelineDocument.shape.references.default([]),
})

/** What the newest stage of kind `document` wrote. */
export function documentOf(state: RunState): PipelineDocument | undefined {
  const { stages } = state.start.config
  const last = stages.findLastIndex((it, at) => it.kind === "document" && hasOutput(state, at))
  const parsed = Output.safeParse(state.stages[last]?.output)
  if (!parsed.success) return undefined
  const { title, markdown, references } = parsed.data
  return {
    id: state.id,
    title: title === "" ? state.start.query : title,
    markdown,
    isPartial: state.end?.isPartial ?? true,
    references,
  }
}

function hasOutput(state: RunState, stage: number): boolean {
  return state.stages[stage]?.hasOutput === true
}
