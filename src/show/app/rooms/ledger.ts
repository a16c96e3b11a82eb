import { readLoaded, splitPatterns } from "#choose/guard"
import { thisMachine } from "#ground/base"
import type { Caller } from "#ground/contract"
import {
  type Claims,
  claimHandlers,
  createClaims,
  createClassifier,
  createLedger,
  createSessions,
  readLogged,
  sessionHandlers,
} from "#know/ledger"
import { PathOutside, SessionUnknown } from "../errors.ts"
import { placeInside } from "../places.ts"
import type { Services } from "../services.ts"

type LedgerDeps = Pick<
  Services,
  "clock" | "config" | "environment" | "places" | "random" | "resolve" | "secrets"
>

export function openLedgerHandlers(services: LedgerDeps) {
  const { root, stateDirectory } = services.places().repository
  const deps = {
    clock: services.clock,
    claims: () => claimsOf(services),
    ledger: () => ledgerOf(services),
    sessions: async () => {
      const { redact } = await services.secrets()
      return createSessions({
        root: () => root,
        stateDirectory,
        redact: (it) => redact(it).text,
        claims: () => claimsOf(services).list(),
      })
    },
    classifier: () => classifierOf(services),
    level: () => services.config().kit.level,
    root: () => root,
    place: (path: string) => placeOf(path, services),
    sessionOf: (caller: Caller | undefined) => sessionOf(caller, services),
    loadedBy: (session: string) => readLoaded(stateDirectory, session),
    recordOf(file: string) {
      const record = readLogged(root, file)
      if (record === undefined) throw SessionUnknown({ session: file })
      return record.text
    },
  }
  return { claim: claimHandlers(deps), session: sessionHandlers(deps) }
}

/** Claims of other sessions. */
export function claimsOn(
  paths: readonly string[],
  deps: Pick<Services, "clock" | "environment" | "places" | "random">,
  caller: Caller | undefined,
): readonly { readonly path: string; readonly session: string }[] {
  const claims = claimsOf(deps)
  return paths.flatMap((path) => {
    const held = claims.find(path)
    const isOthers = held !== undefined && held.session !== sessionOf(caller, deps)
    return isOthers ? [{ path, session: held.session }] : []
  })
}

/**
 * A user at terminals is one session. An agent that types there uses its host's session id, which
 * hooks know too.
 */
export function sessionOf(
  caller: Caller | undefined,
  { environment }: Pick<Services, "environment">,
): string {
  return caller?.session ?? hostSession(environment()) ?? "terminal"
}

/** Set in shells of Claude Code; other hosts pass `--session`. */
function hostSession(environment: Readonly<Record<string, string | undefined>>) {
  const ownSession = environment["CLAUDE_CODE_SESSION_ID"]
  return ownSession !== undefined && /^[\w.:-]{1,200}$/.test(ownSession) ? ownSession : undefined
}

export function placeOf(path: string, deps: Pick<Services, "places" | "resolve">): string {
  const place = placeInside(deps, path)
  if (place === undefined) throw PathOutside({ path })
  return place
}

export function ledgerOf({ places, clock, random }: Pick<Services, "places" | "clock" | "random">) {
  return createLedger({ stateDirectory: places().repository.stateDirectory, clock, random })
}

export function claimsOf({
  places,
  clock,
  random,
}: Pick<Services, "places" | "clock" | "random">): Claims {
  const { stateDirectory } = places().repository
  return createClaims({ stateDirectory, clock, random, machine: thisMachine() })
}

function classifierOf(deps: Pick<Services, "config">) {
  const { ignored, important, registration } = deps.config().kit
  return createClassifier({
    ...(ignored !== "" && { ignored: splitPatterns(ignored) }),
    ...(important !== "" && { important: splitPatterns(important) }),
    ...(registration !== "" && { registration: splitPatterns(registration) }),
  })
}
