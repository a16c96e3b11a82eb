import { withoutHiddenSigns } from "#ground/base"
import type { ToolCall } from "./tool.ts"

type Body = {
  readonly tool: string
  /** The arguments as they came: they are in the window too, and in the trail. */
  readonly given: Readonly<Record<string, unknown>> & { readonly session_id?: string | undefined }
  readonly label: string
  readonly text: string
  /** Whether anything in it was written by nobody here. */
  readonly isUntrusted?: boolean
}

export type Metered = {
  readonly text: string
  readonly handle?: string
  readonly notice?: string
}

/**
 * A text on its way into the window: charged to the session's branch, and kept under a handle when
 * it is large.
 */
export async function meterBody(body: Body, { app, caller }: ToolCall): Promise<Metered> {
  const { session_id: sessionId, ...given } = body.given
  const fold = await app.fold()
  const { text, handle, notice } = await fold.meter({
    caller,
    ...(sessionId !== undefined && { sessionId }),
    tool: body.tool,
    input: JSON.stringify(given),
    text: withoutHiddenSigns(body.text),
    label: body.label,
    ...(body.isUntrusted === true && { isUntrusted: true }),
  })
  return { text, ...(handle !== undefined && { handle }), ...(notice !== undefined && { notice }) }
}

/** The text of an answer with a body: a notice comes last, where it is read. */
export function sayBody({ text, notice }: Metered): string {
  return notice === undefined ? text : `${text}\n\n${notice}`
}
