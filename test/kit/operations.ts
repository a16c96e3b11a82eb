import { type CallContext, OPERATIONS, type Operation } from "#ground/contract"

type Handler = { run(input: unknown, context: CallContext): Promise<unknown> }["run"]
type RoomHandlers = Readonly<Record<string, Readonly<Record<string, Handler>>>>

const SIGNAL = new AbortController().signal

export function operationCaller(rooms: RoomHandlers) {
  const operations: Readonly<Record<string, Operation>> = OPERATIONS
  return async (
    name: string,
    input: unknown = {},
    context: CallContext = { signal: SIGNAL },
    // oxlint-disable-next-line typescript/no-explicit-any
  ): Promise<any> => {
    const [group = "", verb = ""] = name.split(".")
    const run = rooms[group]?.[verb]
    const operation = operations[name]
    if (run === undefined || operation === undefined) throw new Error(`no operation ${name}`)
    return operation.output.parse(await run(operation.input.parse(input), context))
  }
}
