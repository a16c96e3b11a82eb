import { processIdentity, thisMachine } from "#ground/base"
import { type Caller, type Claim, defineOperation, SIGNATURES } from "#ground/contract"
import { type Claims, createClaims, createSessions, type Claim as Held } from "#know/ledger"
import { PathOutside } from "./errors.ts"
import { loadSecrets } from "./known-secrets.ts"
import type { OperationDeps } from "./operations.ts"
import { placeInside } from "./place-inside.ts"

const surfaces = ["cli", "http"] as const
const MINUTE_MS = 60_000

/**
 * Who works on what, and what sessions leave behind. Declared here and not in its room, which hooks
 * load without any package.
 */
export function ledgerOperations(deps: OperationDeps) {
  return [...claimOperations(deps), ...sessionOperations(deps)]
}

function claimOperations(deps: OperationDeps) {
  return [
    defineOperation({
      name: "claim.take",
      summary: "Say that you work on files, so that other sessions see it; all of them or none",
      effect: "write",
      surfaces,
      ...SIGNATURES["claim.take"],
      async run({ paths, minutes, session }, { caller }) {
        const claims = claimsOf(deps)
        const holder = {
          session: session ?? sessionOf(caller),
          process: holderOf(caller),
          leaseMs: minutes * MINUTE_MS,
        }
        const outcome = await claims.take(placed(paths, deps), holder)
        return outcome.kind === "taken"
          ? { claims: outcome.claims.map((it) => shown(it, claims)), held: null }
          : { claims: [], held: shown(outcome.by, claims) }
      },
    }),
    defineOperation({
      name: "claim.release",
      summary: "Give back files that you said you work on",
      effect: "write",
      surfaces,
      ...SIGNATURES["claim.release"],
      run: ({ paths, session }, { caller }) =>
        release(placed(paths, deps), session ?? sessionOf(caller), claimsOf(deps)),
    }),
    defineOperation({
      name: "claim.list",
      summary: "List who works on which files",
      effect: "read",
      surfaces,
      ...SIGNATURES["claim.list"],
      async run({ path }) {
        const claims = claimsOf(deps)
        const [place] = path === undefined ? [] : placed([path], deps)
        const found = place === undefined ? claims.list() : [claims.find(place) ?? []].flat()
        return { claims: found.map((it) => shown(it, claims)) }
      },
    }),
  ] as const
}

function sessionOperations(deps: OperationDeps) {
  return [
    defineOperation({
      name: "session.register",
      summary: "Write down what a session was asked and did, in a file of the repository",
      effect: "write",
      surfaces,
      ...SIGNATURES["session.register"],
      async run({ date, ...entry }) {
        const today = new Date(deps.clock.now()).toISOString().slice(0, 10)
        const sessions = await sessionsOf(deps)
        const { file, indices } = await sessions.register({ ...entry, date: date ?? today })
        return { file, indices: [...indices.written] }
      },
    }),
    defineOperation({
      name: "session.index",
      summary: "Make the lists of sessions and of what is remembered anew",
      effect: "write",
      surfaces,
      ...SIGNATURES["session.index"],
      run: async () => ({
        indices: [...(await (await sessionsOf(deps)).writeIndices()).written],
      }),
    }),
  ] as const
}

/** Claims of other sessions, as a simulation asks for them. */
export function claimsOn(
  paths: readonly string[],
  deps: OperationDeps,
  caller: Caller | undefined,
): readonly { readonly path: string; readonly session: string }[] {
  const claims = claimsOf(deps)
  return paths.flatMap((path) => {
    const held = claims.find(path)
    const isOthers = held !== undefined && held.session !== sessionOf(caller)
    return isOthers ? [{ path, session: held.session }] : []
  })
}

function claimsOf(deps: OperationDeps): Claims {
  const { stateDirectory } = deps.places().repository
  const { clock, random } = deps
  return createClaims({ stateDirectory, clock, random, machine: thisMachine() })
}

async function sessionsOf(deps: OperationDeps) {
  const { root, stateDirectory } = deps.places().repository
  const { redact } = await loadSecrets(root, deps)
  return createSessions({
    root: () => root,
    stateDirectory,
    redact: (text) => redact(text).text,
  })
}

async function release(paths: readonly string[], session: string, claims: Claims) {
  const released: string[] = []
  const notHeld: string[] = []
  for (const path of paths) {
    const held = claims.find(path)
    const isOurs = held !== undefined && held.path === path && held.session === session
    const isDone = isOurs && (await claims.release(held)).kind === "released"
    ;(isDone ? released : notHeld).push(path)
  }
  return { released, notHeld }
}

/** A person at a terminal is one session, whichever window they type in. */
function sessionOf(caller: Caller | undefined): string {
  return caller?.session ?? "terminal"
}

/** The process that lives as long as the claim is meant: a shell outlives its command. */
function holderOf(caller: Caller | undefined) {
  return processIdentity(caller === undefined ? process.ppid : process.pid)
}

function placed(paths: readonly string[], deps: OperationDeps): readonly string[] {
  return paths.map((given) => {
    const place = placeInside(deps, given)
    if (place === undefined) throw PathOutside({ path: given })
    return place
  })
}

function shown(claim: Held, claims: Claims): Claim {
  const { path, session, fence, machine, takenAt, heartbeatAt, expiresAt } = claim
  const isHolderAlive = claims.isHolderAlive(claim) ?? null
  return { path, session, fence, machine, isHolderAlive, takenAt, heartbeatAt, expiresAt }
}
