import type { z } from "zod"

/** Handles one kind of message; false when the message is not of that kind. */
export type MessageParser<State, Context> = (
  state: State,
  message: unknown,
  context: Context,
) => boolean

/** A parser for the messages of one schema; `handle` may still refuse one by returning false. */
export function parseWith<State, Context, Schema extends z.ZodType>(
  schema: Schema,
  handle: (state: State, message: z.output<Schema>, context: Context) => boolean | void,
): MessageParser<State, Context> {
  return (state, message, context) => {
    const parsed = schema.safeParse(message)
    return parsed.success && handle(state, parsed.data, context) !== false
  }
}
