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
import type { ClaimRecord } from "./claim-file.ts"
import { ClaimLost, PathUnusable } from "./errors.ts"
import { hasRunOut } from "./lease.ts"
import {
  LEASE_MS,
  MOST_PATHS_AT_ONCE,
  MOST_YIELD_TRIES,
  RENEW_AFTER_SHARE,
  YIELD_TRY_MS,
} from "./limits.ts"
import { foldersAbove, isBelow, mustBePlain, plainPath } from "./paths.ts"
import { createTurns, type Turns } from "./turns.ts"

export type ClaimsDeps = {
  readonly stateDirectory: string
  readonly clock: Pick<Clock, "now" | "sleep">
  readonly random: Random
  readonly machine: Machine
}

export type Claim = Omit<ClaimRecord, "state">
export type Claims = ReturnType<typeof createClaims>

export type Holder = {
  readonly session: string
  /** The process that lives as long as the session, not the hook that asks for it. */
  readonly process: ProcessIdentity
  readonly leaseMs?: number
}

export type TakeOutcome =
  | { readonly kind: "taken"; readonly claims: readonly Claim[] }
  | { readonly kind: "held"; readonly path: string; readonly by: Claim }

export type RenewOutcome =
  | { readonly kind: "renewed"; readonly claim: Claim }
  | { readonly kind: "lost" }

/** Who works on which paths, as leases that all worktrees of a repository see. */
export function createClaims(deps: ClaimsDeps) {
  const folder = join(deps.stateDirectory, "claims")
  const world: World = { ...deps, turns: createTurns(folder, deps.random) }

  return {
    /** All of the paths or none. A path that the session holds already is renewed. */
    async take(paths: readonly string[], holder: Holder): Promise<TakeOutcome> {
      if (paths.length > MOST_PATHS_AT_ONCE)
        throw PathUnusable({ path: `${paths.length} paths`, wrong: "are too many at once" })
      await ensureDirectory(folder)
      // In one order for all: of two that want the same paths one gets through.
      const wanted = [...new Set(paths.map(mustBePlain))].toSorted(compareText)
      return takeAll(wanted, holder, world)
    },
    renew: (claim: Claim) => renew(claim, world),
    /** For hooks: renews what the session holds over a path, unless it did so a moment ago. */
    async keepAlive(session: string, path: string): Promise<RenewOutcome | { kind: "none" }> {
      const claim = covering(path, world).find((it) => it.session === session)
      if (claim === undefined) return { kind: "none" }
      const isFresh = !isStale(claim, world)
      return isFresh ? { kind: "renewed", claim } : await renew(claim, world)
    },
    release: (claim: Claim) => release(claim, world),
    isHeld: (claim: Claim) => isHeld(claim, world),
    /** Undefined for a process of another machine, about which this one knows nothing. */
    isHolderAlive(claim: Claim): boolean | undefined {
      return claim.machine === deps.machine.name ? isSameProcessAlive(claim) : undefined
    },
    /**
     * To be asked with every write under a claim, as late as possible. It renews, so that the claim
     * has a whole lease left for the write; when another has taken the path, it throws.
     */
    async assertHeld(claim: Claim): Promise<Claim> {
      const renewed = await renew(claim, world)
      if (renewed.kind === "lost") throw ClaimLost({ path: claim.path, fence: claim.fence })
      return renewed.claim
    },
    /** Claims that have not run out, by path. */
    list: (): readonly Claim[] =>
      live(world.turns.all(), world).toSorted((a, b) => compareText(a.path, b.path)),
    /** The claim that covers a path: its own, or the nearest of a folder above. */
    find: (path: string): Claim | undefined => covering(path, world)[0],
  }
}

type World = ClaimsDeps & { readonly turns: Turns }

async function takeAll(
  paths: readonly string[],
  holder: Holder,
  world: World,
): Promise<TakeOutcome> {
  const taken: { readonly claim: Claim; readonly isNew: boolean }[] = []
  const giveBack = async () => {
    for (const { claim, isNew } of taken) if (isNew) await release(claim, world)
  }
  for (const path of paths) {
    const outcome = await takeOne(path, holder, world)
    if (outcome.kind === "taken") taken.push(outcome)
    else {
      await giveBack()
      return outcome
    }
  }
  return { kind: "taken", claims: taken.map((it) => it.claim) }
}

type OneOutcome =
  | { readonly kind: "taken"; readonly claim: Claim; readonly isNew: boolean }
  | Extract<TakeOutcome, { kind: "held" }>

/**
 * A folder and what is in it have files of their own, so two may link at once. Both look at the
 * other's after their own stands: one of them at least sees the other. If both do, what is below
 * gives back at once and the folder waits a moment for that, so that one of them has it.
 */
async function takeOne(path: string, holder: Holder, world: World): Promise<OneOutcome> {
  const before = await clearOverlaps(path, holder, world)
  if (before !== undefined) return { kind: "held", path, by: before }
  const outcome = await linkOne(path, holder, world)
  if (outcome.kind === "held") return outcome
  const after = await overlapAfter(path, holder, world)
  if (after === undefined) return outcome
  if (outcome.isNew) await release(outcome.claim, world)
  return { kind: "held", path, by: after }
}

async function overlapAfter(
  path: string,
  holder: Holder,
  world: World,
): Promise<Claim | undefined> {
  for (let tries = 1; ; tries++) {
    const other = await clearOverlaps(path, holder, world)
    const mayGiveBack = other !== undefined && isBelow(other.path, path)
    if (!mayGiveBack || tries === MOST_YIELD_TRIES) return other
    await world.clock.sleep(YIELD_TRY_MS)
  }
}

async function linkOne(path: string, holder: Holder, world: World): Promise<OneOutcome> {
  const token = Buffer.from(world.random.bytes(16)).toString("hex")
  let isNew = true
  const done = await world.turns.change<Claim>(path, (current) => {
    const isOwn = current?.state === "held" && current.session === holder.session
    isNew = !isOwn
    if (isOwn) return { kind: "put", record: () => beaten(current, world) }
    if (current !== undefined && isLive(current, world)) return { kind: "stop", result: current }
    return { kind: "put", record: (turn) => claimOf({ path, token, fence: turn }, holder, world) }
  })
  if ("result" in done) return { kind: "held", path, by: done.result }
  return { kind: "taken", claim: done, isNew }
}

/** The live claim of another that overlaps; those that have run out are ended, or they could return. */
async function clearOverlaps(
  path: string,
  holder: Holder,
  world: World,
): Promise<Claim | undefined> {
  for (const other of overlapping(path, world)) {
    if (other.state === "released" || other.session === holder.session) continue
    if (isLive(other, world)) return other
    const done = await world.turns.change<Claim | undefined>(other.path, (current) => {
      const isSame = current?.token === other.token && current.state === "held"
      if (!isSame) return { kind: "stop", result: heldBy(current, holder, world) }
      if (isLive(current, world)) return { kind: "stop", result: current }
      return { kind: "put", record: () => ({ ...current, state: "released" }) }
    })
    if ("result" in done && done.result !== undefined) return done.result
  }
  return undefined
}

function heldBy(current: ClaimRecord | undefined, holder: Holder, world: World): Claim | undefined {
  if (current === undefined || current.session === holder.session) return undefined
  return isLive(current, world) ? current : undefined
}

function overlapping(path: string, { turns }: World): readonly ClaimRecord[] {
  const above = foldersAbove(path).flatMap((it) => turns.current(it) ?? [])
  return [...above, ...turns.all().filter((it) => isBelow(it.path, path))]
}

async function renew(claim: Claim, world: World): Promise<RenewOutcome> {
  const done = await world.turns.change(claim.path, (current) =>
    isSameHold(current, claim)
      ? { kind: "put", record: () => beaten(current, world) }
      : { kind: "stop", result: "lost" as const },
  )
  return "result" in done ? { kind: "lost" } : { kind: "renewed", claim: done }
}

async function release(
  claim: Claim,
  world: World,
): Promise<{ readonly kind: "released" | "lost" }> {
  const done = await world.turns.change(claim.path, (current, wasPut) =>
    isSameHold(current, claim)
      ? { kind: "put", record: () => ({ ...current, state: "released" }) }
      : { kind: "stop", result: { wasPut } },
  )
  // Somebody may have taken the path between our last turn and our look at it.
  return { kind: "result" in done && !done.result.wasPut ? "lost" : "released" }
}

/** One that has run out and that nobody took is still its holder's. */
function isHeld(claim: Claim, { turns }: World): boolean {
  return isSameHold(turns.current(claim.path), claim)
}

function isSameHold(current: ClaimRecord | undefined, claim: Claim): current is ClaimRecord {
  return current?.state === "held" && current.token === claim.token
}

function covering(path: string, world: World): readonly Claim[] {
  const plain = plainPath(path)
  if (plain === undefined) return []
  const found = [plain, ...foldersAbove(plain)].flatMap((it) => world.turns.current(it) ?? [])
  return live(found, world)
}

function live(claims: readonly ClaimRecord[], world: World): readonly Claim[] {
  return claims.filter((it) => isLive(it, world))
}

function isLive(claim: ClaimRecord, { clock, machine }: World): boolean {
  return claim.state === "held" && !hasRunOut(claim, { now: clock.now(), machine })
}

function isStale(claim: Claim, { clock, machine }: World): boolean {
  const isHere = claim.machine === machine.name && claim.boot === machine.boot
  const ageMs = isHere
    ? machine.uptimeMs() - claim.heartbeatUptimeMs
    : clock.now() - claim.heartbeatAt
  return ageMs < 0 || ageMs > claim.leaseMs * RENEW_AFTER_SHARE
}

type New = Pick<Claim, "path" | "token" | "fence">

function claimOf(it: New, holder: Holder, world: World): ClaimRecord {
  const now = world.clock.now()
  const leaseMs = holder.leaseMs ?? LEASE_MS
  return {
    ...it,
    session: holder.session,
    state: "held",
    pid: holder.process.pid,
    startedAt: holder.process.startedAt,
    machine: world.machine.name,
    boot: world.machine.boot,
    takenAt: now,
    heartbeatAt: now,
    heartbeatUptimeMs: world.machine.uptimeMs(),
    leaseMs,
    expiresAt: now + leaseMs,
  }
}

/** The same claim with a new heartbeat, from the machine that renews it. */
function beaten(claim: ClaimRecord, { clock, machine }: World): ClaimRecord {
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
