import { createGuard, guardHandlers, hashFile, type Receipt, splitPatterns } from "#choose/guard"
import { createIds } from "#ground/base"
import { type CallContext, Simulation } from "#ground/contract"
import { createGraphs, type Graphs, resolveNames } from "#know/map"
import { listFiles } from "#see/repo"
import { placeInside } from "../places.ts"
import type { Services } from "../services.ts"
import { claimsOn, ledgerOf, placeOf, sessionOf } from "./ledger.ts"

export const MOST_RISK_FILES = 200_000

type GuardDeps = Pick<
  Services,
  "clock" | "config" | "environment" | "log" | "map" | "places" | "random" | "resolve" | "secrets"
>

export function openGuardHandlers(deps: GuardDeps) {
  const graphs = createGraphs()
  const { root, stateDirectory } = deps.places().repository
  return guardHandlers({
    clock: deps.clock,
    ids: createIds(deps),
    stateDirectory: () => stateDirectory,
    async simulate(input, context) {
      const simulated = await guardOn(deps, { graphs, context }).simulate(input, context)
      await recordInLedger(deps, simulated.receipt, sessionOf(context.caller, deps))
      return Simulation.parse(simulated)
    },
    listFiles: async (signal) =>
      (await listFiles(root, { maxFiles: MOST_RISK_FILES, signal })).files,
    // An override may cover the whole repository.
    place: (path) => (deps.resolve(path) === root ? "." : placeOf(path, deps)),
    sessionOf: (caller) => sessionOf(caller, deps),
    redact: async (text) => (await deps.secrets()).redact(text).text,
  })
}

/** Simulations are part of a session's ledger. */
async function recordInLedger(
  deps: GuardDeps,
  { id, paths, risk }: Receipt,
  session: string,
): Promise<void> {
  const files = paths.map(({ path, blobId }) => ({ path, sha: blobId ?? undefined }))
  await ledgerOf(deps).simulated(session, { id, files, risk })
}

type GuardCall = { readonly graphs: Graphs; readonly context: CallContext }

function guardOn(deps: GuardDeps, { graphs, context: { caller } }: GuardCall) {
  const { root, stateDirectory } = deps.places().repository
  return createGuard({
    stateDirectory,
    tree: (context) => deps.map().tree(context),
    refresh: async (context) => (await deps.map().scan("incremental", context)).tree,
    graphOf: (tree) => graphs.of(tree),
    resolveNames,
    hashOf: (path, format) => hashFile(path, { root, format }),
    place: (userPath) => placeInside(deps, userPath),
    claimsOn: async (paths) => claimsOn(paths, deps, caller),
    redact: async () => {
      const { redact } = await deps.secrets()
      return (text) => redact(text).text
    },
    highRiskPaths: () => splitPatterns(deps.config().guard.highRiskPaths),
    ids: createIds(deps),
    clock: deps.clock,
    log: deps.log,
  })
}
