import type { AnswerBlock, ModelRequest, Script } from "#test/model-anthropic"

export type ToolResult = { readonly id: string; readonly text: string; readonly isError: boolean }

export type Step = (results: readonly ToolResult[]) => {
  readonly name: string
  readonly input: object
}

export function tell(steps: readonly Step[]): Script {
  return (request, turn): readonly AnswerBlock[] => {
    // Hosts also request a title and the like; such requests have no tools.
    const step = toolsIn(request).length === 0 ? undefined : steps[turn]
    if (step === undefined) return [{ type: "text", text: "Done." }]
    return [{ type: "tool_use", id: `toolu_story_${turn}`, ...step(resultsIn(request)) }]
  }
}

type Body = {
  readonly tools?: readonly { readonly name: string }[]
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
}

export function toolsIn({ body }: ModelRequest): readonly string[] {
  return ((body as Body).tools ?? []).map((it) => it.name)
}

export function resultsIn({ body }: ModelRequest): readonly ToolResult[] {
  const turns = ((body as Body).messages ?? []).filter((it) => it.role === "user")
  const blocks = turns.flatMap((it) => (Array.isArray(it.content) ? it.content : []))
  return blocks
    .filter((it) => it.type === "tool_result")
    .map((it) => ({
      id: String(it.tool_use_id),
      text: typeof it.content === "string" ? it.content : JSON.stringify(it.content),
      isError: it.is_error === true,
    }))
}
