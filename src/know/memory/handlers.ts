import type { Caller, Handlers, Memory, memoryOperations } from "#ground/contract"
import type { MemoryRoom } from "./memory.ts"

/** Only users may change or list all memories. */

export type MemoryHandlerDeps = {
  memory(): Promise<MemoryRoom>
  /**
   * Called after a memory of a branch is stored. The caller's session is the recorded one, if any.
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
