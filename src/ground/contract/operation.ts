import type { z } from "zod"

export type Surface = "cli" | "http" | "mcp"

/** Who calls. Handles are bound to it. */
export type Caller = {
  /** By what opened the door, never by what the caller says about itself. */
  readonly principal: string
  /** What it calls itself: shown, and trusted with nothing. */
  readonly client?: string
  /** Stands for the session of a call that names none. */
  readonly session: string
}

/** What an operation is told about the call it serves. */
export type CallContext = {
  readonly signal: AbortSignal
  /** Absent for the person at the terminal. */
  readonly caller?: Caller
  /** Told of long work while it goes on; absent where nobody looks. */
  readonly onProgress?: (progress: Progress) => void
}

export type Progress = {
  /** What is being done, e.g. reading files. */
  readonly what: string
  readonly done: number
  readonly total: number
}

/**
 * One thing the product can do, declared once. The command line, the HTTP route, the MCP tool, the
 * palette entry and the reference page are all derived from this record.
 */
export type Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  readonly name: `${string}.${string}`
  readonly summary: string
  readonly effect: "read" | "write"
  readonly surfaces: readonly Surface[]
  readonly input: Input
  readonly output: Output
  run(input: z.output<Input>, context: CallContext): Promise<z.input<Output>>
}

export function defineOperation<Input extends z.ZodType, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
): Operation<Input, Output> {
  return operation
}
