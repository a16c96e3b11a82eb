import type { Fold } from "#choose/fold"
import { isSameProcessAlive } from "#ground/base"
import { receiptKey } from "../secrets/salt.ts"
import type { Services } from "../services.ts"

type FoldDeps = Pick<
  Services,
  | "clock"
  | "config"
  | "log"
  | "memory"
  | "modelScale"
  | "owner"
  | "places"
  | "random"
  | "secrets"
  | "store"
  | "tokens"
>

/**
 * Opening it ends branches of dead processes; from then on it ends overdue branches of any process.
 */
export async function openFold(deps: FoldDeps): Promise<Fold> {
  const fold = await makeFold(deps)
  await fold.recover().catch((error: unknown) => {
    deps.log.warn("branches of dead processes could not be ended", { error })
  })
  fold.watch()
  return fold
}

async function makeFold(deps: FoldDeps): Promise<Fold> {
  const { createFold, createSpool } = await import("#choose/fold")
  const { stateDirectory } = deps.places().repository
  return createFold({
    db: async () => (await deps.store()).forRoom("fold"),
    config: () => deps.config().context_folding,
    root: () => deps.places().repository.root,
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
    owner: deps.owner(),
    isAlive: isSameProcessAlive,
    count: async () => (await deps.tokens.modelCounter()).count,
    scale: async () => (await deps.modelScale()).factor,
    secrets: () => deps.secrets(),
    spool: createSpool({ stateDirectory, random: deps.random, now: deps.clock.now }),
    memories: async (request) => (await deps.memory()).inject(request),
    wire: async (session, branchId) =>
      (await import("./gateway.ts")).foldEligibilityOf({ session, branchId }, deps),
    receiptKey: () => receiptKey(deps),
  })
}
