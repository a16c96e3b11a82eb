import { createMemory, type MemoryRoom, memoryHandlers } from "#know/memory"
import { headCommit } from "#see/repo"
import type { OperationDeps } from "../operations.ts"
import { loadSecrets } from "../secrets/known-secrets.ts"
import { hashCited } from "./cited-code.ts"

type Deps = Omit<
  OperationDeps,
  "agents" | "credentials" | "gateway" | "knowledge" | "mayWriteFiles" | "pipelines" | "sources"
>

/** What this repository decided to remember: files in it, and an index in the store. */
export async function openMemory(deps: Deps): Promise<MemoryRoom> {
  const { repository } = deps.places()
  return createMemory({
    db: async () => (await deps.store()).forRoom("memory"),
    root: () => repository.root,
    stateDirectory: () => repository.stateDirectory,
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    count: async () => (await deps.tokens.counter()).count,
    secrets: () => loadSecrets(repository.root, deps),
    hashOf: (cite) => hashCited(cite, deps),
    commit: async () => (await headCommit(repository)) ?? null,
    isUntrusted: async (session) => (await deps.fold()).hasReadUntrusted(session),
  })
}

/** Memories; one that a branch was asked for ends its distillation. */
export function openMemoryHandlers(deps: OperationDeps) {
  return memoryHandlers({
    memory: deps.memory,
    // Not by the session of the memory: one that was there already is of whoever wrote it.
    async onRecorded({ branchId }, caller) {
      if (caller !== undefined) await (await deps.fold()).finishDistillation(branchId, caller)
    },
  })
}
