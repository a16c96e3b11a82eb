import {
  type Caller,
  defineOperation,
  type Memory,
  type Operation,
  SIGNATURES,
} from "#ground/contract"
import type { MemoryRoom } from "./memory.ts"

const everywhere = ["cli", "http", "mcp"] as const
/** What changes or shows memories as a whole is for people. */
const people = ["cli", "http"] as const

export type MemoryOperationDeps = {
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

export function memoryOperations(deps: MemoryOperationDeps): readonly Operation[] {
  return [...forEverybody(deps), ...forPeople(deps)]
}

function forEverybody({ memory, onRecorded }: MemoryOperationDeps): readonly Operation[] {
  return [
    defineOperation({
      name: "memory.search",
      summary: "Find what this repository remembers about something, and why it matches",
      effect: "read",
      surfaces: everywhere,
      ...SIGNATURES["memory.search"],
      run: async (input) => (await memory()).search(input),
    }),
    defineOperation({
      name: "memory.record",
      summary: "Remember something about this repository, in a file of it",
      effect: "write",
      surfaces: everywhere,
      ...SIGNATURES["memory.record"],
      async run(input, { caller }) {
        const recorded = await (await memory()).record(input, caller)
        const { branchId, sessionId: session } = input
        const who = caller === undefined || session === undefined ? caller : { ...caller, session }
        if (branchId !== undefined) await onRecorded?.({ branchId, memory: recorded.memory }, who)
        return recorded
      },
    }),
    defineOperation({
      name: "memory.feedback",
      summary: "Say whether a memory was of use, and how the task went",
      effect: "write",
      surfaces: everywhere,
      ...SIGNATURES["memory.feedback"],
      run: async (input, { caller }) => (await memory()).feedback(input, caller),
    }),
  ]
}

function forPeople({ memory }: MemoryOperationDeps): readonly Operation[] {
  return [
    defineOperation({
      name: "memory.list",
      summary: "List what this repository remembers, newest first",
      effect: "read",
      surfaces: people,
      ...SIGNATURES["memory.list"],
      run: async (input) => (await memory()).list(input),
    }),
    defineOperation({
      name: "memory.show",
      summary: "Show one memory, checked against the code of now",
      effect: "read",
      surfaces: people,
      ...SIGNATURES["memory.show"],
      run: async (input) => (await memory()).show(input),
    }),
    defineOperation({
      name: "memory.confirm",
      summary: "Vouch for a memory, so that agents are handed it",
      effect: "write",
      surfaces: people,
      ...SIGNATURES["memory.confirm"],
      run: async (input, { caller }) => (await memory()).confirm(input, caller),
    }),
    defineOperation({
      name: "memory.forget",
      summary: "Delete a memory with its file",
      effect: "write",
      surfaces: people,
      ...SIGNATURES["memory.forget"],
      run: async (input, { caller }) => (await memory()).forget(input, caller),
    }),
  ]
}
