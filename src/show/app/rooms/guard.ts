import {
  checkRiskPaths,
  createGuard,
  createOverrides,
  hashFile,
  type Receipt,
  readVerdicts,
  splitPatterns,
  tryPatterns,
} from "#choose/guard"
import { createIds } from "#ground/base"
import {
  type CallContext,
  type GuardTry,
  type guardOperations,
  type Handlers,
  Simulation,
} from "#ground/contract"
import { createLedger } from "#know/ledger"
import { createGraphs, type Graphs, resolveNames } from "#know/map"
import { listFiles } from "#see/repo"
import { MOST_VERDICTS_LOOKED_AT, RISK_FILES_LISTED } from "../limits.ts"
import type { OperationDeps } from "../operations.ts"
import { placeInside } from "../places.ts"
import { loadSecrets } from "../secrets/known-secrets.ts"
import { claimsOn, placed, sessionOf } from "./claims.ts"

const HOUR_MS = 3_600_000

export function guardHandlers(deps: OperationDeps): Handlers<typeof guardOperations> {
  const graphs = createGraphs()
  return {
    async simulate(input, context) {
      const simulated = await guardOn(deps, { graphs, context }).simulate(input, context)
      await keepInLedger(deps, simulated.receipt, sessionOf(context.caller, deps))
      return Simulation.parse(simulated)
    },
    async verdicts({ sinceHours, ...asked }) {
      const { verdicts, counts, isCut } = await verdictsOf(deps, { sinceHours, ...asked })
      return { verdicts: [...verdicts], counts: { ...counts }, isCut }
    },
    try: (input, context) => tryOut(deps, input, context),
    async override({ paths, reason, minutes }, { caller }) {
      const overrides = createOverrides({
        stateDirectory: deps.places().repository.stateDirectory,
        clock: deps.clock,
        ids: createIds(deps),
      })
      const { redact } = await loadSecrets(deps.places().repository.root, deps)
      const made = await overrides.allow({
        paths: placed(paths, deps),
        reason: redact(reason).text,
        minutes,
        by: { session: sessionOf(caller, deps), host: "qm" },
      })
      return { ...made, paths: [...made.paths] }
    },
  }
}

type Wanted = Omit<Parameters<typeof readVerdicts>[0], "stateDirectory" | "now" | "sinceMs"> & {
  readonly sinceHours: number
}

function verdictsOf(deps: OperationDeps, { sinceHours, ...asked }: Wanted) {
  const now = deps.clock.now()
  return readVerdicts({
    ...asked,
    stateDirectory: deps.places().repository.stateDirectory,
    now,
    sinceMs: now - sinceHours * HOUR_MS,
  })
}

async function tryOut(
  deps: OperationDeps,
  input: { readonly patterns: string; readonly sinceHours: number; readonly limit: number },
  { signal }: CallContext,
): Promise<GuardTry> {
  const { sinceHours, limit } = input
  const found = await verdictsOf(deps, { sinceHours, limit: MOST_VERDICTS_LOOKED_AT })
  const patterns = splitPatterns(input.patterns)
  const tried = tryPatterns(found.verdicts, patterns)
  const { root } = deps.places().repository
  const { files } = await listFiles(root, { maxFiles: RISK_FILES_LISTED, signal })
  const uses = checkRiskPaths(patterns, files)
  return {
    patterns: tried.patterns.map((it, i) => {
      const use = uses[i]
      return { ...it, files: use?.kind === "fits" ? use.files : 0 }
    }),
    looked: tried.looked,
    hits: tried.hits.slice(0, limit),
    isCut: found.isCut || tried.hits.length > limit,
  }
}

/** What a session looked at before it edited is a part of what it did. */
async function keepInLedger(
  deps: OperationDeps,
  { id, paths, risk }: Receipt,
  session: string,
): Promise<void> {
  const { stateDirectory } = deps.places().repository
  const ledger = createLedger({ stateDirectory, clock: deps.clock, random: deps.random })
  const files = paths.map(({ path, blobId }) => ({ path, sha: blobId ?? undefined }))
  await ledger.simulated(session, { id, files, risk })
}

type Asking = { readonly graphs: Graphs; readonly context: CallContext }

function guardOn(deps: OperationDeps, { graphs, context: { caller } }: Asking) {
  const { root, stateDirectory } = deps.places().repository
  return createGuard({
    stateDirectory,
    tree: (context) => deps.mapping().tree(context),
    refresh: async (context) => (await deps.mapping().scan("incremental", context)).tree,
    graphOf: (tree) => graphs.of(tree),
    resolveNames,
    hashOf: (path, format) => hashFile(path, { root, format }),
    place: (given) => placeInside(deps, given),
    claimsOn: async (paths) => claimsOn(paths, deps, caller),
    redact: async () => {
      const { redact } = await loadSecrets(root, deps)
      return (text) => redact(text).text
    },
    highRiskPaths: () => splitPatterns(deps.config().guard.highRiskPaths),
    ids: createIds(deps),
    clock: deps.clock,
    log: deps.log,
  })
}
