import { join } from "node:path"
import {
  type Clock,
  compareText,
  ensureDirectory,
  isSameProcessAlive,
  type Machine,
  type ProcessIdentity,
  type Random,
} from "#ground/base"
import { type ClaimRecord, createTurns, type Turns } from "./claim-store.ts"
import { ClaimLost, PathUnusable } from "./errors.ts"
import { CLOCK_MARGIN_MS, LEASE_MS, MOST_PATHS_AT_ONCE } from "./limits.ts"
import { foldersAbove, isBelow, mustBePlain, plainPath } from "./paths.ts"

const MOST_YIELD_TRIES = 200

/**
 * A release takes milliseconds, on a busy disk a few hundred. After two seconds the other was
 * first.
 */
const YIELD_TRY_MS = 10

const RENEW_AFTER_SHARE = 0.25

type ClaimsDeps = {
  readonly stateDirectory: string
  readonly clock: Pick<Clock, "now" | "sleep">
  readonly random: Random
  readonly machine: Machine
}

export type Claim = Omit<ClaimRecord, "state">
export type Claims = ReturnType<typeof createClaims>

type Holder = {
  readonly session: string
  /** The process that lives as long as the session, not the hook. */
  readonly process: ProcessIdentity
  readonly leaseMs?: number
}

type TakeOutcome =
  | { readonly kind: "taken"; readonly claims: readonly Claim[] }
  | { readonly kind: "held"; readonly path: string; readonly by: Claim }

type RenewOutcome = { readonly kind: "renewed"; readonly claim: Claim } | { readonly kind: "lost" }

export function createClaims(deps: ClaimsDeps) {
  const folder = join(deps.stateDirectory, "claims")
  const context: ClaimsContext = { ...deps, turns: createTurns(folder, deps.random) }

  return {
    /** All paths or none; renews paths that the session already holds. */
    async take(paths: readonly string[], holder: Holder): Promise<TakeOutcome> {
      if (paths.length > MOST_PATHS_AT_ONCE)
        throw PathUnusable({ path: `${paths.length} paths`, wrong: "are too many in one call" })
      await ensureDirectory(folder)
      // The same order for all callers, so that of two with the same paths one succeeds.
      const plainPaths = [...new Set(paths.map(mustBePlain))].toSorted(compareText)
      return takeAll(plainPaths, holder, context)
    },
    renew: (claim: Claim) => renew(claim, context),
    async keepAlive(session: string, path: string): Promise<RenewOutcome | { kind: "none" }> {
      const claim = covering(path, context).find((it) => it.session === session)
      if (claim === undefined) return { kind: "none" }
      const isFresh = !isStale(claim, context)
      return isFresh ? { kind: "renewed", claim } : await renew(claim, context)
    },
    release: (claim: Claim) => release(claim, context),
    isHeld: (claim: Claim) => isHeld(claim, context),
    /** Undefined for a process of another machine. */
    isHolderAlive(claim: Claim): boolean | undefined {
      return claim.machine === deps.machine.name ? isSameProcessAlive(claim) : undefined
    },
    /**
     * Call it with every write under a claim, as late as possible. It renews the claim, so that a
     * whole lease is left for the write, and throws when another session took the path.
     */
    async assertHeld(claim: Claim): Promise<Claim> {
      const renewed = await renew(claim, context)
      if (renewed.kind === "lost") throw ClaimLost({ path: claim.path, fence: claim.fence })
      return renewed.claim
    },
    list: (): readonly Claim[] =>
      live(context.turns.all(), context).toSorted((a, b) => compareText(a.path, b.path)),
    find: (path: string): Claim | undefined => covering(path, context)[0],
  }
}

type ClaimsContext = ClaimsDeps & { readonly turns: Turns }

async function takeAll(
  paths: readonly string[],
  holder: Holder,
  context: ClaimsContext,
): Promise<TakeOutcome> {
  const newClaims: { readonly claim: Claim; readonly isNew: boolean }[] = []
  const giveBack = async () => {
    for (const { claim, isNew } of newClaims) if (isNew) await release(claim, context)
  }
  for (const path of paths) {
    const outcome = await takeOne(path, holder, context)
    if (outcome.kind === "taken") newClaims.push(outcome)
    else {
      await giveBack()
      return outcome
    }
  }
  return { kind: "taken", claims: newClaims.map((it) => it.claim) }
}

type OneOutcome =
  | { readonly kind: "taken"; readonly claim: Claim; readonly isNew: boolean }
  | Extract<TakeOutcome, { kind: "held" }>

/**
 * A folder and a path below it have separate files, so both may be linked simultaneously. Each
 * checks the other after linking, so at least one sees the other. If both do, the lower one
 * releases and the folder's waits for that.
 */
async function takeOne(path: string, holder: Holder, context: ClaimsContext): Promise<OneOutcome> {
  const before = await clearOverlaps(path, holder, context)
  if (before !== undefined) return { kind: "held", path, by: before }
  const outcome = await linkOne(path, holder, context)
  if (outcome.kind === "held") return outcome
  const after = await overlapAfter(path, holder, context)
  if (after === undefined) return outcome
  if (outcome.isNew) await release(outcome.claim, context)
  return { kind: "held", path, by: after }
}

async function overlapAfter(
  path: string,
  holder: Holder,
  context: ClaimsContext,
): Promise<Claim | undefined> {
  for (let tries = 1; ; tries++) {
    const other = await clearOverlaps(path, holder, context)
    const mayGiveBack = other !== undefined && isBelow(other.path, path)
    if (!mayGiveBack || tries === MOST_YIELD_TRIES) return other
    await context.clock.sleep(YIELD_TRY_MS)
  }
}

async function linkOne(path: string, holder: Holder, context: ClaimsContext): Promise<OneOutcome> {
  const token = Buffer.from(context.random.bytes(16)).toString("hex")
  let isNew = true
  const done = await context.turns.change<Claim>(path, (current) => {
    const isOwn = current?.state === "held" && current.session === holder.session
    isNew = !isOwn
    if (isOwn) return { kind: "put", record: () => withHeartbeat(current, context) }
    if (current !== undefined && isLive(current, context)) return { kind: "stop", result: current }
    return { kind: "put", record: (turn) => claimOf({ path, token, fence: turn }, holder, context) }
  })
  if ("result" in done) return { kind: "held", path, by: done.result }
  return { kind: "taken", claim: done, isNew }
}

/**
 * Returns the overlapping live claim of another session. Releases expired ones, so that they cannot
 * be renewed.
 */
async function clearOverlaps(
  path: string,
  holder: Holder,
  context: ClaimsContext,
): Promise<Claim | undefined> {
  for (const other of overlapping(path, context)) {
    if (other.state === "released" || other.session === holder.session) continue
    if (isLive(other, context)) return other
    const done = await context.turns.change<Claim | undefined>(other.path, (current) => {
      const isSame = current?.token === other.token && current.state === "held"
      if (!isSame) return { kind: "stop", result: heldBy(current, holder, context) }
      if (isLive(current, context)) return { kind: "stop", result: current }
      return { kind: "put", record: () => ({ ...current, state: "released" }) }
    })
    if ("result" in done && done.result !== undefined) return done.result
  }
  return undefined
}

function heldBy(
  current: ClaimRecord | undefined,
  holder: Holder,
  context: ClaimsContext,
): Claim | undefined {
  if (current === undefined || current.session === holder.session) return undefined
  return isLive(current, context) ? current : undefined
}

function overlapping(path: string, { turns }: ClaimsContext): readonly ClaimRecord[] {
  const above = foldersAbove(path).flatMap((it) => turns.current(it) ?? [])
  return [...above, ...turns.all().filter((it) => isBelow(it.path, path))]
}

async function renew(claim: Claim, context: ClaimsContext): Promise<RenewOutcome> {
  const done = await context.turns.change(claim.path, (current) =>
    isSameHold(current, claim)
      ? { kind: "put", record: () => withHeartbeat(current, context) }
      : { kind: "stop", result: "lost" as const },
  )
  return "result" in done ? { kind: "lost" } : { kind: "renewed", claim: done }
}

async function release(
  claim: Claim,
  context: ClaimsContext,
): Promise<{ readonly kind: "released" | "lost" }> {
  const done = await context.turns.change(claim.path, (current, wasPut) =>
    isSameHold(current, claim)
      ? { kind: "put", record: () => ({ ...current, state: "released" }) }
      : { kind: "stop", result: { wasPut } },
  )
  // Another session may have taken the path between our last turn and this check.
  return { kind: "result" in done && !done.result.wasPut ? "lost" : "released" }
}

/** An expired claim that no session took still belongs to its holder. */
function isHeld(claim: Claim, { turns }: ClaimsContext): boolean {
  return isSameHold(turns.current(claim.path), claim)
}

function isSameHold(current: ClaimRecord | undefined, claim: Claim): current is ClaimRecord {
  return current?.state === "held" && current.token === claim.token
}

function covering(path: string, context: ClaimsContext): readonly Claim[] {
  const plain = plainPath(path)
  if (plain === undefined) return []
  const turns = [plain, ...foldersAbove(plain)].flatMap((it) => context.turns.current(it) ?? [])
  return live(turns, context)
}

function live(claims: readonly ClaimRecord[], context: ClaimsContext): readonly Claim[] {
  return claims.filter((it) => isLive(it, context))
}

function isLive(claim: ClaimRecord, { clock, machine }: ClaimsContext): boolean {
  return claim.state === "held" && !isExpired(claim, { now: clock.now(), machine })
}

function isStale(claim: Claim, { clock, machine }: ClaimsContext): boolean {
  const isHere = claim.machine === machine.name && claim.boot === machine.boot
  const ageMs = isHere
    ? machine.uptimeMs() - claim.heartbeatUptimeMs
    : clock.now() - claim.heartbeatAt
  return ageMs < 0 || ageMs > claim.leaseMs * RENEW_AFTER_SHARE
}

type NewClaim = Pick<Claim, "path" | "token" | "fence">

function claimOf(claim: NewClaim, holder: Holder, context: ClaimsContext): ClaimRecord {
  const now = context.clock.now()
  const leaseMs = holder.leaseMs ?? LEASE_MS
  return {
    ...claim,
    session: holder.session,
    state: "held",
    pid: holder.process.pid,
    startedAt: holder.process.startedAt,
    machine: context.machine.name,
    boot: context.machine.boot,
    takenAt: now,
    heartbeatAt: now,
    heartbeatUptimeMs: context.machine.uptimeMs(),
    leaseMs,
    expiresAt: now + leaseMs,
  }
}

function withHeartbeat(claim: ClaimRecord, { clock, machine }: ClaimsContext): ClaimRecord {
  const now = clock.now()
  return {
    ...claim,
    machine: machine.name,
    boot: machine.boot,
    heartbeatAt: now,
    heartbeatUptimeMs: machine.uptimeMs(),
    expiresAt: now + claim.leaseMs,
  }
}

type LeaseClock = {
  readonly now: number
  readonly machine: Machine
}

/** Wall clocks jump, so within one boot of one machine the monotonic clock decides. */
function isExpired(claim: ClaimRecord, { now, machine }: LeaseClock): boolean {
  const isHere = claim.machine === machine.name
  if (isHere && claim.boot === machine.boot)
    return machine.uptimeMs() - claim.heartbeatUptimeMs > claim.leaseMs
  // After a restart the holder cannot renew. A heartbeat in the future means that the clock was set
  // back; trusting it would block the path.
  const isImpossible = isHere && claim.heartbeatAt > now + claim.leaseMs
  // Between machines only wall clocks can be compared, and they differ.
  const marginMs = isHere ? 0 : CLOCK_MARGIN_MS
  return isImpossible || now > claim.expiresAt + marginMs
}
