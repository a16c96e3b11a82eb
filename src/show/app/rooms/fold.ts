import type { Fold } from "#choose/fold"
import { isSameProcessAlive } from "#ground/base"
import type { OperationDeps } from "../operations.ts"
import { processOwner } from "../process-owner.ts"
import { loadSecrets } from "../secrets/known-secrets.ts"
import { receiptKey } from "../secrets/receipt-key.ts"

type Deps = Omit<
  OperationDeps,
  "agents" | "credentials" | "gateway" | "knowledge" | "mayWriteFiles" | "pipelines" | "sources"
>

/**
 * Branches of this process, on the store of this repository. What a process that died left open is
 * ended first, and from then on what is overdue, whoever opened it.
 */
export async function openFold(deps: Deps): Promise<Fold> {
  const fold = await makeFold(deps)
  await fold.recover().catch((error: unknown) => {
    deps.log.warn("branches of processes that died are not ended", { error })
  })
  fold.watch()
  return fold
}

async function makeFold(deps: Deps): Promise<Fold> {
  const { createFold, createSpool } = await import("#choose/fold")
  const { stateDirectory } = deps.places().repository
  return createFold({
    db: async () => (await deps.store()).forRoom("fold"),
    config: () => deps.config().context_folding,
    root: () => deps.places().repository.root,
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    owner: processOwner(deps.random),
    isAlive: isSameProcessAlive,
    count: async () => (await deps.tokens.counter()).count,
    secrets: () => loadSecrets(deps.places().repository.root, deps),
    spool: createSpool({ stateDirectory, random: deps.random, now: deps.clock.now }),
    memories: async (wanted) => (await deps.memory()).inject(wanted),
    wire: async (session, branchId) =>
      (await import("./gateway.ts")).foldEligibilityOf({ session, branchId }, deps),
    receiptKey: () => receiptKey(deps),
  })
}
