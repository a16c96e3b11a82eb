import type { z } from "zod"

export type MessageParser<State, Context> = (
  state: State,
  message: unknown,
  context: Context,
) => boolean

export function parseWith<State, Context, Schema extends z.ZodType>(
  schema: Schema,
  handle: (state: State, message: z.output<Schema>, context: Context) => boolean | void,
): MessageParser<State, Context> {
  return (state, message, context) => {
    const parsed = schema.safeParse(message)
    return parsed.success && handle(state, parsed.data, context) !== false
  }
}
