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
import { placeInside } from "../places.ts"
import type { Services } from "../services.ts"
import { claimsOn, placed, sessionOf } from "./claims.ts"

const HOUR_MS = 3_600_000

export const MOST_VERDICTS_READ = 20_000

export const MOST_RISK_FILES = 200_000

type GuardDeps = Pick<
  Services,
  "clock" | "config" | "environment" | "log" | "map" | "places" | "random" | "resolve" | "secrets"
>

export function guardHandlers(deps: GuardDeps): Handlers<typeof guardOperations> {
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
      const { redact } = await deps.secrets()
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

type VerdictQuery = Omit<
  Parameters<typeof readVerdicts>[0],
  "stateDirectory" | "now" | "sinceMs"
> & {
  readonly sinceHours: number
}

function verdictsOf(deps: GuardDeps, { sinceHours, ...asked }: VerdictQuery) {
  const now = deps.clock.now()
  return readVerdicts({
    ...asked,
    stateDirectory: deps.places().repository.stateDirectory,
    now,
    sinceMs: now - sinceHours * HOUR_MS,
  })
}

async function tryOut(
  deps: GuardDeps,
  input: { readonly patterns: string; readonly sinceHours: number; readonly limit: number },
  { signal }: CallContext,
): Promise<GuardTry> {
  const { sinceHours, limit } = input
  const verdicts = await verdictsOf(deps, { sinceHours, limit: MOST_VERDICTS_READ })
  const patterns = splitPatterns(input.patterns)
  const tried = tryPatterns(verdicts.verdicts, patterns)
  const { root } = deps.places().repository
  const { files } = await listFiles(root, { maxFiles: MOST_RISK_FILES, signal })
  const uses = checkRiskPaths(patterns, files)
  return {
    patterns: tried.patterns.map((it, i) => {
      const use = uses[i]
      return { ...it, files: use?.kind === "fits" ? use.files : 0 }
    }),
    looked: tried.looked,
    hits: tried.hits.slice(0, limit),
    isCut: verdicts.isCut || tried.hits.length > limit,
  }
}

/** Simulations are part of a session's ledger. */
async function keepInLedger(
  deps: GuardDeps,
  { id, paths, risk }: Receipt,
  session: string,
): Promise<void> {
  const { stateDirectory } = deps.places().repository
  const ledger = createLedger({ stateDirectory, clock: deps.clock, random: deps.random })
  const files = paths.map(({ path, blobId }) => ({ path, sha: blobId ?? undefined }))
  await ledger.simulated(session, { id, files, risk })
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
    place: (given) => placeInside(deps, given),
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
