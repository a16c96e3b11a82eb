import type { Clock, Ids, Log } from "#ground/base"
import type { Db } from "#ground/store"
import { type ApprovalStore, createApprovalStore } from "./approval-store.ts"
import { createMessageStore, type MessageStore } from "./message-store.ts"
import { createQueueStore, type QueueStore } from "./queue-store.ts"
import { createRunStore, type Owner, type RunStore } from "./run-store.ts"

export type Stores = {
  readonly runs: RunStore
  readonly messages: MessageStore
  readonly queue: QueueStore
  readonly approvals: ApprovalStore
}

export function createStores(deps: {
  readonly db: Db<"agents">
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly owner: Owner
  notify(runId: string, lastSeq: number): void
}): Stores {
  const runs = createRunStore(deps)
  return {
    runs,
    messages: createMessageStore({ ...deps, runs }),
    queue: createQueueStore(deps),
    approvals: createApprovalStore(deps),
  }
}
