import {
  type ParsedInput,
  type PlannedTicket,
  type Swarm,
  type SwarmPlan,
  type SwarmReview,
  type Workstream,
} from "#ground/contract"
import type { Call, SwarmDeps } from "./deps.ts"
import { createDriver } from "./drive-swarm.ts"
import {
  MergeConflict,
  MergeRefused,
  NoBaseBranch,
  NothingToPlan,
  WorkstreamNotReady,
  WorkstreamUnknown,
  WorktreeGone,
} from "./errors.ts"
import { partitionTickets, planTicket, TIER_BUDGET_USD, tierOf } from "./plan-swarm.ts"
import { createSwarmReviews } from "./review-swarm.ts"
import { createSwarmStore } from "./swarm-store.ts"
import { ACTIVE, isClosed, refusalOf, ticketOf } from "./workstream.ts"

const MOST_TICKETS = 50

/** States from which `retry` continues. */
const HALTED: ReadonlySet<Workstream["state"]> = new Set(["paused", "failed", "evicted"])

/** A finishing workstream reaches testing in its next step, so it cannot be paused. */
const PAUSABLE: ReadonlySet<Workstream["state"]> = new Set(["pending", "starting", "working"])

export type SwarmRoom = ReturnType<typeof createSwarm>

/** Tickets in parallel worktrees, up to testing; a person reviews each workstream. */
export function createSwarm(deps: SwarmDeps) {
  const store = createSwarmStore(deps)
  const driver = createDriver(deps, store)
  const reviews = createSwarmReviews(deps, store)
  const { laneOf } = driver
  /** Swarms that run for a caller who did not wait. */
  const background = new Map<string, Promise<void>>()
  const ending = new AbortController()

  async function plan(input: ParsedInput<"swarm.plan">, call: Call): Promise<SwarmPlan> {
    const last = await store.newest()
    const open = last?.workstreams.filter((it) => !isClosed(it)) ?? []
    const held = new Set(open.flatMap((it) => it.tickets.map((ticket) => ticket.id)))
    const board = await deps.board()
    const { tickets: ready } = await board.ready({ limit: MOST_TICKETS })
    const chosen =
      input.tickets.length === 0
        ? ready.filter((it) => !held.has(it.id))
        : await Promise.all(
            input.tickets.map(async (it) => (await board.detail({ id: it })).ticket),
          )
    const planned: PlannedTicket[] = []
    const left: SwarmPlan["left"] = []
    for (const ticket of chosen) {
      call.signal.throwIfAborted()
      const reason = held.has(ticket.id) ? "an open workstream works on it" : refusalOf(ticket)
      const touch = reason === undefined ? await planTicket(ticket, deps.sources) : undefined
      if (touch !== undefined) planned.push(touch)
      else
        left.push({
          id: ticket.id,
          title: ticket.title,
          reason: reason ?? "no files are known for it; add paths to the ticket",
        })
    }
    const settings = deps.settings()
    const parts = partitionTickets(planned, {
      most: open.length + (input.workstreams ?? settings.workstreams),
      open,
      named: open.length === 0 ? 0 : (last?.workstreams.length ?? 0),
    })
    const agents = input.agent.length === 0 ? [settings.agent] : input.agent
    const workstreams = parts.workstreams.map(({ name, tickets }, at) => ({
      name,
      agent: agents[at % agents.length] ?? settings.agent,
      tickets: [...tickets],
    }))
    const definition =
      input.definition === undefined ? undefined : await deps.definition(input.definition)
    const model = definition?.model ?? null
    const tier = tierOf(model)
    return {
      workstreams,
      left: [...left, ...parts.left],
      conflicts: await plannedConflicts(workstreams, call),
      model,
      tier,
      budgetUsd: TIER_BUDGET_USD[tier],
    }
  }

  async function plannedConflicts(
    workstreams: SwarmPlan["workstreams"],
    call: Call,
  ): Promise<SwarmPlan["conflicts"]> {
    const conflicts: SwarmPlan["conflicts"] = []
    const worktrees = await deps.worktrees()
    const { worktrees: others } = await worktrees.list(call)
    for (const { name, tickets } of workstreams) {
      const files = tickets.flatMap((it) => [...it.touch, ...it.tests])
      for (const { path: held, session } of deps.claimedByOthers(files))
        conflicts.push({ workstream: name, with: `session ${session}`, files: [held] })
      for (const other of others.filter((it) => it.state === "ready")) {
        const { changed } = await worktrees.check({ name: other.name }, call)
        const shared = changed.filter((it) =>
          files.some((file) => file === it || it.startsWith(`${file}/`)),
        )
        if (shared.length > 0)
          conflicts.push({ workstream: name, with: `worktree ${other.name}`, files: shared })
      }
    }
    return conflicts
  }

  /** New workstreams join the newest swarm while one of it is open, so that none is forgotten. */
  async function start(input: ParsedInput<"swarm.run">, call: Call): Promise<Swarm> {
    const planned = await plan(input, call)
    if (planned.workstreams.length === 0) throw NothingToPlan({ left: planned.left.length })
    const last = await store.newest()
    if (last !== undefined && !last.workstreams.every(isClosed)) {
      const added = streamsOf(planned, last.id, call).map((it) => ({
        ...it,
        ...(input.budget === undefined ? {} : { budgetUsd: input.budget }),
      }))
      return store.add(last.id, added)
    }
    const git = await (await deps.worktrees()).git(call)
    const { output: branch, code } = await git.ask(["symbolic-ref", "--quiet", "--short", "HEAD"])
    if (code !== 0) throw NoBaseBranch({ head: "detached" })
    const baseCommit = await git.commitOf("HEAD")
    if (baseCommit === undefined) throw NoBaseBranch({ head: "without a commit" })
    const id = deps.ids.next("sw")
    const swarm: Swarm = {
      id,
      createdAt: deps.clock.now(),
      baseRef: branch.trim(),
      baseCommit,
      model: planned.model,
      tier: planned.tier,
      budgetUsd: input.budget ?? planned.budgetUsd,
      workstreams: streamsOf(planned, id, call),
    }
    await store.save(swarm, "planned")
    return swarm
  }

  /** Returns at once; the swarm runs in this process until it closes. */
  function driveLater(swarm: Swarm, script: string | undefined): void {
    if (background.has(swarm.id)) return
    const call = { signal: ending.signal }
    const driving = driver
      .drive(swarm, { script, call })
      .then(() => undefined)
      .catch((error: unknown) => {
        if (!ending.signal.aborted) deps.log.warn("a swarm stopped", { id: swarm.id, error })
      })
      .finally(() => background.delete(swarm.id))
    background.set(swarm.id, driving)
  }

  async function find(name: string): Promise<{ swarm: Swarm; stream: Workstream }> {
    const swarm = await store.newest()
    const stream = swarm?.workstreams.find((it) => it.name === name)
    if (swarm !== undefined && stream !== undefined) return { swarm, stream }
    throw WorkstreamUnknown({ name, names: swarm?.workstreams.map((it) => it.name) ?? [] })
  }

  async function findParked(name: string): Promise<{ swarm: Swarm; stream: Workstream }> {
    const { swarm, stream } = await find(name)
    const { state } = stream
    if (state !== "parked") throw WorkstreamNotReady({ name, state })
    return { swarm, stream }
  }

  /** One workstream by name, or all of the newest swarm, in one of these states. */
  async function findAll(name: string | undefined, states: ReadonlySet<Workstream["state"]>) {
    const swarm = name === undefined ? await store.newest() : (await find(name)).swarm
    if (swarm === undefined) throw WorkstreamUnknown({ name: "ws1", names: [] })
    const named = swarm.workstreams.filter((it) => name === undefined || it.name === name)
    const streams = named.filter((it) => states.has(it.state))
    const [first] = named
    if (name !== undefined && streams.length === 0 && first !== undefined)
      throw WorkstreamNotReady({ name, state: first.state })
    return { swarm, streams }
  }

  const set = (swarm: Swarm, name: string, fields: Partial<Workstream>) =>
    store.change(swarm.id, name, { fields })

  const latest = async (swarm: Swarm) => (await store.read(swarm.id)) ?? swarm

  return {
    plan,

    async run({ script, wait, ...input }: ParsedInput<"swarm.run">, call: Call): Promise<Swarm> {
      await deps.refuseUnlessAuto(call.caller)
      const last = await store.newest()
      const isActive = last?.workstreams.some((it) => ACTIVE.has(it.state)) === true
      const continues = isActive && input.tickets.length === 0
      const swarm =
        continues && last !== undefined ? last : await start({ ...input, script, wait }, call)
      if (wait) return driver.drive(swarm, { script, call })
      driveLater(swarm, script)
      return swarm
    },

    review: async (call: Call): Promise<SwarmReview> => reviews.review(call),

    /** Merges the base into the branch first, so the checks run on the files that will be merged. */
    async approve({ workstream }: { readonly workstream: string }, call: Call): Promise<Swarm> {
      const { swarm, stream } = await findParked(workstream)
      if (!(await reviews.hasFolder(stream)))
        throw WorktreeGone({ name: workstream, path: stream.path ?? stream.worktree })
      const worktrees = await deps.worktrees()
      const updated = await worktrees.update(stream.worktree, call)
      if (updated.kind === "conflict")
        throw MergeConflict({ name: workstream, files: updated.files })
      if (updated.kind === "refused")
        throw MergeRefused({ name: workstream, reason: updated.reason })
      const evidence = await driver.captureChecks(stream, call)
      const board = await deps.board({ root: stream.path ?? "" })
      for (const { id } of stream.tickets) await board.refuseUnproved({ id }, call)
      const landed = await worktrees.land(stream.worktree, call)
      if (landed.kind !== "merged")
        throw MergeRefused({
          name: workstream,
          reason: landed.kind === "refused" ? landed.reason : "it conflicts",
        })
      for (const { id } of stream.tickets)
        if ((await laneOf(id)) === "testing") await board.approve({ id }, call)
      await set(swarm, workstream, { state: "approved", evidence })
      const request = { name: stream.worktree, keepBranch: false, force: true }
      await worktrees.remove(request, call)
      return latest(swarm)
    },

    async sendBack(
      { workstream, feedback }: ParsedInput<"swarm.reject">,
      call: Call,
    ): Promise<Swarm> {
      const { swarm, stream } = await findParked(workstream)
      const { id } = ticketOf(stream)
      if ((await laneOf(id)) === "testing")
        await (await deps.board()).reject({ id, feedback }, call)
      await set(swarm, workstream, { state: "starting", attempt: stream.attempt + 1, feedback })
      return latest(swarm)
    },

    /** Stores the state before it stops the run, so that the driver does not continue the workstream. */
    async pause({ workstream }: ParsedInput<"swarm.pause">): Promise<Swarm> {
      const { swarm, streams } = await findAll(workstream, PAUSABLE)
      const agents = await deps.agents()
      for (const { name, runs, state } of streams) {
        await set(swarm, name, { state: "paused", reason: "paused by a person" })
        const run = state === "working" ? runs.at(-1) : undefined
        if (run !== undefined) await agents.stop(run)
      }
      return latest(swarm)
    },

    async retry({ workstream, budget }: ParsedInput<"swarm.retry">, call: Call): Promise<Swarm> {
      await deps.refuseUnlessAuto(call.caller)
      const { swarm, streams } = await findAll(workstream, HALTED)
      for (const { name, path, attempt } of streams)
        await set(swarm, name, {
          state: path === null ? "pending" : "starting",
          attempt: attempt + 1,
          reason: null,
          ...(budget === undefined ? {} : { budgetUsd: budget }),
        })
      return latest(swarm)
    },

    async discard({ workstream }: { readonly workstream: string }, call: Call): Promise<Swarm> {
      const { swarm, stream } = await find(workstream)
      if (isClosed(stream)) throw WorkstreamNotReady({ name: workstream, state: stream.state })
      const board = await deps.board()
      for (const { id } of stream.tickets) {
        if ((await laneOf(id)) === "testing")
          await board.reject({ id, feedback: "The workstream was discarded." }, call)
        if ((await laneOf(id)) === "working") await board.move({ id, lane: "backlog" }, call)
      }
      await set(swarm, workstream, { state: "discarded" })
      const last = stream.runs.at(-1)
      if (last !== undefined) await (await deps.agents()).stop(last)
      if (stream.path !== null) {
        const request = { name: stream.worktree, keepBranch: true, force: true }
        await (await deps.worktrees()).remove(request, call)
      }
      return latest(swarm)
    },

    /** Ends what runs in the background; `run` continues it later. */
    async close(): Promise<void> {
      ending.abort()
      await Promise.all(background.values())
    },
  }
}

function streamsOf({ workstreams }: SwarmPlan, id: string, { caller }: Call): Workstream[] {
  return workstreams.map(({ name, agent, tickets }) => ({
    name,
    state: "pending",
    agent,
    startedBy: caller?.person?.name ?? null,
    tickets,
    current: 0,
    attempt: 1,
    worktree: `${id.slice(-6)}-${name}`.replaceAll("_", "-"),
    path: null,
    branch: null,
    runs: [],
    feedback: null,
    reason: null,
    costUsd: null,
    lastActivityAt: null,
    evidence: null,
  }))
}
