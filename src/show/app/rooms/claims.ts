import { giveOthersATurn, processIdentity, thisMachine } from "#ground/base"
import type { Caller, Claim, claimOperations, Handlers } from "#ground/contract"
import { type Claims, createClaims, type Claim as Held } from "#know/ledger"
import { PathOutside } from "../errors.ts"
import { placeInside } from "../places.ts"
import type { Services } from "../services.ts"

const MINUTE_MS = 60_000

type ClaimDeps = Pick<Services, "clock" | "environment" | "places" | "random" | "resolve">

export const claimHandlers = (deps: ClaimDeps): Handlers<typeof claimOperations> => ({
  async take({ paths, minutes, session }, { caller }) {
    const claims = claimsOf(deps)
    const holder = {
      session: session ?? sessionOf(caller, deps),
      process: holderOf(caller),
      leaseMs: minutes * MINUTE_MS,
    }
    const outcome = await claims.take(placed(paths, deps), holder)
    return outcome.kind === "taken"
      ? { claims: outcome.claims.map((it) => shown(it, claims)), held: null }
      : { claims: [], held: shown(outcome.by, claims) }
  },
  release: ({ paths, session }, { caller }) =>
    release(placed(paths, deps), session ?? sessionOf(caller, deps), claimsOf(deps)),
  async list({ path }) {
    const claims = claimsOf(deps)
    const [place] = path === undefined ? [] : placed([path], deps)
    const matching = place === undefined ? claims.list() : [claims.find(place) ?? []].flat()
    return { claims: matching.map((it) => shown(it, claims)) }
  },
})

export function claimsOn(
  paths: readonly string[],
  deps: ClaimDeps,
  caller: Caller | undefined,
): readonly { readonly path: string; readonly session: string }[] {
  const claims = claimsOf(deps)
  return paths.flatMap((path) => {
    const held = claims.find(path)
    const isOthers = held !== undefined && held.session !== sessionOf(caller, deps)
    return isOthers ? [{ path, session: held.session }] : []
  })
}

export function claimsOf(deps: Pick<Services, "places" | "clock" | "random">): Claims {
  const { stateDirectory } = deps.places().repository
  const { clock, random } = deps
  return createClaims({ stateDirectory, clock, random, machine: thisMachine() })
}

async function release(paths: readonly string[], session: string, claims: Claims) {
  const released: string[] = []
  const notHeld: string[] = []
  for (const path of paths) {
    await giveOthersATurn()
    const held = claims.find(path)
    const isOurs = held !== undefined && held.path === path && held.session === session
    const isDone = isOurs && (await claims.release(held)).kind === "released"
    ;(isDone ? released : notHeld).push(path)
  }
  return { released, notHeld }
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

/** A process that lives as long as the claim: the shell, not the command. */
function holderOf(caller: Caller | undefined) {
  return processIdentity(caller === undefined ? process.ppid : process.pid)
}

export function placed(
  paths: readonly string[],
  deps: Pick<Services, "places" | "resolve">,
): readonly string[] {
  return paths.map((given) => {
    const place = placeInside(deps, given)
    if (place === undefined) throw PathOutside({ path: given })
    return place
  })
}

export function shown(claim: Held, claims: Claims): Claim {
  const { path, session, fence, machine, takenAt, heartbeatAt, expiresAt } = claim
  const isHolderAlive = claims.isHolderAlive(claim) ?? null
  return { path, session, fence, machine, isHolderAlive, takenAt, heartbeatAt, expiresAt }
}
