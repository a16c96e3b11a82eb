import { isAppError, visible } from "#ground/base"
import type { WireError } from "#ground/contract"
import type { Paint } from "./paint.ts"

type Explained = {
  readonly text: string
  readonly wire: WireError
  readonly exitCode: number
}

/** An error as the command line says it: what happened, what to do, the code. */
export function explain(error: unknown, paint: Paint): Explained {
  if (isAppError(error)) {
    const { code, message, hint, data } = error
    const text = `${visible(message)}\n  ${paint.accent("→")} ${visible(hint)}  ${paint.muted(`[${code}]`)}`
    return { text, wire: { code, message, hint, data }, exitCode: 1 }
  }
  const message = error instanceof Error ? error.message : String(error)
  const stack = error instanceof Error ? (error.stack ?? message) : message
  const hint = "This is our fault. Please report it with the lines above."
  return {
    text: `${visible(stack)}\n  ${paint.accent("→")} ${hint}  ${paint.muted("[BUG]")}`,
    wire: { code: "BUG", message, hint, data: null },
    exitCode: 70,
  }
}
