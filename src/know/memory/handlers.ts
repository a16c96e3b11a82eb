import type { Caller, Handlers, Memory, memoryOperations } from "#ground/contract"
import type { MemoryRoom } from "./memory.ts"

/** What changes or shows memories as a whole is for people. */

export type MemoryHandlerDeps = {
  memory(): Promise<MemoryRoom>
  /**
   * Told of a memory that the agent of a branch was asked for, once it is kept. The session of the
   * caller is the one that the recording named, if it named one.
   */
  onRecorded?(
    it: { readonly branchId: string; readonly memory: Memory },
    caller: Caller | undefined,
  ): Promise<void>
}

export const memoryHandlers = ({
  memory,
  onRecorded,
}: MemoryHandlerDeps): Handlers<typeof memoryOperations> => ({
  search: async (input) => (await memory()).search(input),
  async record(input, { caller }) {
    const recorded = await (await memory()).record(input, caller)
    const { branchId, sessionId: session } = input
    const who = caller === undefined || session === undefined ? caller : { ...caller, session }
    if (branchId !== undefined) await onRecorded?.({ branchId, memory: recorded.memory }, who)
    return recorded
  },
  feedback: async (input, { caller }) => (await memory()).feedback(input, caller),
  list: async (input) => (await memory()).list(input),
  show: async (input) => (await memory()).show(input),
  confirm: async (input, { caller }) => (await memory()).confirm(input, caller),
  forget: async (input, { caller }) => (await memory()).forget(input, caller),
})
