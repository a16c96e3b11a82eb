import type { Clock, Ids } from "#ground/base"
import type {
  CallContext,
  Caller,
  GuardTry,
  guardOperations,
  Handlers,
  ParsedInput,
  Simulation,
} from "#ground/contract"
import { splitPatterns } from "./hook-config.ts"
import { createOverrides } from "./overrides.ts"
import { checkRiskPaths } from "./risk-paths.ts"
import { readVerdicts, tryPatterns } from "./verdict-log.ts"

const HOUR_MS = 3_600_000

export const MOST_VERDICTS_TRIED = 20_000

type HandlerDeps = {
  readonly clock: Clock
  readonly ids: Ids
  stateDirectory(): string
  /** Simulates, and records it in the ledger of the caller's session. */
  simulate(input: ParsedInput<"guard.simulate">, context: CallContext): Promise<Simulation>
  listFiles(signal: AbortSignal): Promise<readonly string[]>
  /** Relative to the root; throws for a path outside the repository. */
  place(path: string): string
  /** The session of a call that names none. */
  sessionOf(caller: Caller | undefined): string
  redact(text: string): Promise<string>
}

export const guardHandlers = (deps: HandlerDeps): Handlers<typeof guardOperations> => ({
  simulate: deps.simulate,
  async verdicts(input) {
    const { verdicts, counts, isCut } = await verdictsOf(deps, input)
    return { verdicts: [...verdicts], counts: { ...counts }, isCut }
  },
  try: (input, context) => tryOut(deps, input, context),
  async override({ paths, reason, minutes }, { caller }) {
    const overrides = createOverrides({ ...deps, stateDirectory: deps.stateDirectory() })
    const made = await overrides.allow({
      paths: paths.map(deps.place),
      reason: await deps.redact(reason),
      minutes,
      by: { session: deps.sessionOf(caller), host: "qm" },
    })
    return { ...made, paths: [...made.paths] }
  },
})

type VerdictQuery = Omit<
  Parameters<typeof readVerdicts>[0],
  "stateDirectory" | "now" | "sinceMs"
> & { readonly sinceHours: number }

function verdictsOf(deps: HandlerDeps, { sinceHours, ...query }: VerdictQuery) {
  const now = deps.clock.now()
  const sinceMs = now - sinceHours * HOUR_MS
  return readVerdicts({ ...query, stateDirectory: deps.stateDirectory(), now, sinceMs })
}

async function tryOut(
  deps: HandlerDeps,
  input: ParsedInput<"guard.try">,
  { signal }: CallContext,
): Promise<GuardTry> {
  const { sinceHours, limit } = input
  const verdicts = await verdictsOf(deps, { sinceHours, limit: MOST_VERDICTS_TRIED })
  const patterns = splitPatterns(input.patterns)
  const tried = tryPatterns(verdicts.verdicts, patterns)
  const uses = checkRiskPaths(patterns, await deps.listFiles(signal))
  return {
    patterns: tried.patterns.map((pattern, i) => {
      const use = uses[i]
      return { ...pattern, files: use?.kind === "fits" ? use.files : 0 }
    }),
    looked: tried.looked,
    hits: tried.hits.slice(0, limit),
    isCut: verdicts.isCut || tried.hits.length > limit,
  }
}
