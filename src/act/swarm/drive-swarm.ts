import { type AgentType, type Swarm, type Ticket, type Workstream } from "#ground/contract"
import type { Call, SwarmDeps } from "./deps.ts"
import type { SwarmStore } from "./swarm-store.ts"
import { ACTIVE, costOf, ticketOf } from "./workstream.ts"

const STEP_MS = 200
const CHECK_TIMEOUT_SECONDS = 3_600

/** A run needs a budget above 0. */
const SMALLEST_BUDGET_USD = 0.01

export type DriveOptions = { readonly script: string | undefined; readonly call: Call }

/** Moves workstreams forward, one stored step after the other, until they wait for a person. */
export function createDriver(deps: SwarmDeps, store: SwarmStore) {
  /** Runs of this process. A queued run of a killed process never began and never will. */
  const startedHere = new Set<string>()

  /** Undefined if a person changed the workstream since `it` was read; then the step is dropped. */
  const advance = (swarm: Swarm, it: Workstream, fields: Partial<Workstream>) =>
    store.change(swarm.id, it.name, { fields, expected: it })

  /** Also takes workstreams that become active while it runs: added, sent back or continued. */
  async function drive(swarm: Swarm, options: DriveOptions): Promise<Swarm> {
    return store.whileDriving(swarm.id, async () => {
      // Runs of a killed process become interrupted, and continue.
      await (await deps.agents()).recover()
      const running = new Map<string, Promise<void>>()
      const failures: unknown[] = []
      const begin = (name: string) =>
        driveStream(swarm, name, options)
          .catch((error: unknown) => void failures.push(error))
          .finally(() => running.delete(name))
      for (;;) {
        const now = (await store.read(swarm.id)) ?? swarm
        const active = now.workstreams.filter((it) => ACTIVE.has(it.state))
        for (const { name } of failures.length === 0 ? active : [])
          if (!running.has(name)) running.set(name, begin(name))
        if (running.size === 0 && failures.length > 0) throw failures[0]
        if (running.size === 0) return now
        await Promise.race([...running.values(), deps.clock.sleep(STEP_MS)])
      }
    })
  }

  async function driveStream(swarm: Swarm, name: string, options: DriveOptions): Promise<void> {
    for (;;) {
      options.call.signal.throwIfAborted()
      const current = (await store.read(swarm.id))?.workstreams.find((it) => it.name === name)
      if (current === undefined || !ACTIVE.has(current.state)) return
      try {
        await step(swarm, current, options)
      } catch (error) {
        options.call.signal.throwIfAborted()
        const reason = error instanceof Error ? error.message : String(error)
        await advance(swarm, current, { state: "failed", reason })
      }
      await deps.clock.sleep(STEP_MS)
    }
  }

  async function step(swarm: Swarm, it: Workstream, options: DriveOptions): Promise<void> {
    switch (it.state) {
      case "pending":
        return prepare(swarm, it, options)
      case "starting":
        return startRun(swarm, it, options)
      case "working":
        return watchRun(swarm, it, options)
      case "finishing":
        return finish(swarm, it, options)
      default:
        return undefined
    }
  }

  async function laneOf(id: string): Promise<Ticket["lane"]> {
    return (await (await deps.board()).detail({ id })).ticket.lane
  }

  /** Creating a worktree continues one that a killed process began. */
  async function prepare(swarm: Swarm, it: Workstream, { call }: DriveOptions): Promise<void> {
    const worktrees = await deps.worktrees()
    const first = ticketOf(it)
    const ticket = { id: first.id, title: first.title, paths: it.tickets.flatMap((t) => t.touch) }
    const existing = await worktrees.record(it.worktree).catch(() => undefined)
    if (existing?.state !== "ready") {
      const { worktree } = await worktrees.create(
        { name: it.worktree, from: swarm.baseRef, ticket },
        call,
      )
      if (worktree.state === "failed") throw new Error(`setup failed: ${worktree.setup?.command}`)
    }
    const record = await worktrees.record(it.worktree)
    await advance(swarm, it, {
      state: "starting",
      path: record.path,
      branch: record.branch,
    })
  }

  /** The prompt starts with a mark, by which a run that was started before a kill is found. */
  async function startRun(swarm: Swarm, it: Workstream, options: DriveOptions): Promise<void> {
    const ticket = ticketOf(it)
    const by = { workstream: it.name, agent: it.agent }
    const board = await deps.board({ by })
    if ((await laneOf(ticket.id)) === "backlog")
      await board.move({ id: ticket.id, lane: "working" }, { signal: options.call.signal })
    const mark = `${swarm.id}-${it.name}-${it.current + 1}-${it.attempt}`
    const agents = await deps.agents()
    const [earlier] = await agents.list({ text: mark, limit: 1, archived: false })
    const isAbandoned = earlier?.status === "queued" && !startedHere.has(earlier.id)
    if (isAbandoned) await agents.remove(earlier.id)
    const run =
      earlier === undefined || isAbandoned
        ? await agents.start(await inputOf(swarm, it, { mark, options }))
        : earlier
    if (run !== earlier) startedHere.add(run.id)
    await agents.edit(run.id, { title: ticket.title, labels: [ticket.id, swarm.id] })
    const changed = await advance(swarm, it, {
      state: "working",
      runs: [...it.runs.filter((id) => id !== run.id && id !== earlier?.id), run.id],
      lastActivityAt: deps.clock.now(),
    })
    // A person paused or discarded it while the run started.
    if (changed === undefined) await agents.stop(run.id)
  }

  async function inputOf(
    swarm: Swarm,
    it: Workstream,
    { mark, options }: { readonly mark: string; readonly options: DriveOptions },
  ) {
    const ticket = ticketOf(it)
    const { body, ticket: card } = await (await deps.board()).detail({ id: ticket.id })
    const criteria = card.acceptance.map((line) => `- ${line.text}`)
    const prompt = [
      `Workstream ${mark}: ${card.title}`,
      body.trim(),
      ...(criteria.length === 0 ? [] : ["Acceptance criteria:", ...criteria]),
      `Change only these files, and tests: ${ticket.touch.join(", ")}.`,
      ...(it.feedback === null
        ? []
        : [`A person reviewed the earlier attempt and sent it back: ${it.feedback}`]),
      ...(it.attempt > 1
        ? ["The changes of the earlier attempt are in this folder. Continue from them."]
        : []),
      "Do not commit, and do not move tickets. Stop when the criteria are met.",
    ]
    return {
      type: it.agent satisfies AgentType,
      by: it.startedBy ?? undefined,
      prompt: prompt.filter((line) => line !== "").join("\n\n"),
      configuration: {
        cwd: it.path ?? "",
        mode: deps.settings().mode,
        budgetUsd: await budgetLeft(swarm, it),
        env: await environmentOf(it, options.call),
        ...(swarm.model === null ? {} : { model: swarm.model }),
        ...(options.script === undefined ? {} : { script: options.script }),
      },
    }
  }

  /** A budget is for the workstream: a later attempt gets what the earlier ones left. */
  async function budgetLeft(swarm: Swarm, it: Workstream): Promise<number> {
    const total = it.budgetUsd ?? swarm.budgetUsd
    const spent = (await costOf(it.runs, await deps.agents())) ?? 0
    return Math.max(total - spent, SMALLEST_BUDGET_USD)
  }

  const environmentOf = async (it: Workstream, call: Call) =>
    (await (await deps.worktrees()).open({ name: it.worktree }, call)).environment

  async function watchRun(swarm: Swarm, it: Workstream, { call }: DriveOptions): Promise<void> {
    const agents = await deps.agents()
    const run = await agents.get(it.runs.at(-1) ?? "")
    const costUsd = await costOf(it.runs, agents)
    const fields = { costUsd, lastActivityAt: run.updatedAt }
    const isStale = deps.clock.now() - run.updatedAt > deps.settings().staleMinutes * 60_000
    switch (run.status) {
      case "completed":
        await advance(swarm, it, { ...fields, state: "finishing" })
        return
      case "queued":
        if (!startedHere.has(run.id)) await advance(swarm, it, { state: "starting" })
        return
      case "interrupted":
        startedHere.add(run.id)
        await agents.send(run.id, "Continue the task where you stopped.", {
          env: await environmentOf(it, call),
        })
        return
      case "failed":
      case "stopped": {
        const own = await costOf([run.id], agents)
        const isSpent = run.budgetUsd !== null && (own ?? 0) >= run.budgetUsd
        const reason = isSpent
          ? `the budget of $${it.budgetUsd ?? swarm.budgetUsd} is used`
          : (run.error ?? `the run ${run.status}`)
        await advance(swarm, it, { ...fields, state: isSpent ? "paused" : "failed", reason })
        return
      }
      default:
        if (isStale && run.status !== "waiting") await evict(swarm, it, call)
        else if (costUsd !== it.costUsd) await advance(swarm, it, fields)
    }
  }

  /** The ticket goes back to the backlog; the worktree stays as it is. */
  async function evict(swarm: Swarm, it: Workstream, call: Call): Promise<void> {
    await (await deps.agents()).stop(it.runs.at(-1) ?? "")
    const by = { workstream: it.name, agent: it.agent }
    const ticket = ticketOf(it)
    if ((await laneOf(ticket.id)) === "working")
      await (await deps.board({ by })).evict({ id: ticket.id, lane: "backlog" }, call)
    const reason = `no activity for ${deps.settings().staleMinutes} minutes`
    await advance(swarm, it, { state: "evicted", reason })
  }

  async function finish(swarm: Swarm, it: Workstream, { call }: DriveOptions): Promise<void> {
    const worktrees = await deps.worktrees()
    const ticket = ticketOf(it)
    await worktrees.commitAll(it.worktree, `${ticket.title}\n\nTicket: ${ticket.id}`, call)
    const { changed } = await worktrees.check({ name: it.worktree }, call)
    if (changed.length === 0) throw new Error("the agent changed no file")
    const evidence = await captureChecks(it, call)
    const by = { workstream: it.name, agent: it.agent }
    if ((await laneOf(ticket.id)) === "working")
      await (await deps.board({ by })).move({ id: ticket.id, lane: "testing" }, call)
    const isLast = it.current === it.tickets.length - 1
    await advance(swarm, it, {
      evidence,
      feedback: null,
      ...(isLast
        ? { state: "parked" }
        : { state: "starting", current: it.current + 1, attempt: 1 }),
    })
  }

  /** Runs each configured check in the worktree, unless it passed on these files already. */
  async function captureChecks(it: Workstream, call: Call): Promise<Workstream["evidence"]> {
    const by = { workstream: it.name, agent: it.agent }
    const board = await deps.board({ by, root: it.path ?? "" })
    const { id } = ticketOf(it)
    let last = it.evidence
    for (const command of deps.checks()) {
      if ((await board.stampOf(command.join(" "))) === "passed") continue
      const input = { id, command: [...command], timeout: CHECK_TIMEOUT_SECONDS }
      last = (await board.capture(input, { signal: call.signal })).evidence
    }
    return last
  }

  return { drive, captureChecks, laneOf }
}
