import path from "node:path"
import {
  createJsonl,
  ensureDirectory,
  listDirectory,
  parseJson,
  readTextBounded,
  whileLocked,
  writeFileAtomic,
} from "#ground/base"
import {
  type AgentType,
  type ParsedInput,
  type PlannedTicket,
  Swarm,
  type SwarmPlan,
  type SwarmReview,
  type Ticket,
  type Workstream,
} from "#ground/contract"
import type { Call, SwarmDeps } from "./deps.ts"
import {
  MergeConflict,
  MergeRefused,
  NoBaseBranch,
  NothingToPlan,
  WorkstreamNotReady,
  WorkstreamUnknown,
} from "./errors.ts"
import { partitionTickets, planTicket, TIER_BUDGET_USD, tierOf } from "./plan-swarm.ts"
import { costOf, isClosed, parseNumstat, refusalOf, ticketOf } from "./workstream.ts"

const LARGEST_MANIFEST_BYTES = 4 * 1024 ** 2
const MOST_SWARMS = 10_000
const MOST_TICKETS = 50
const STEP_MS = 200
const CHECK_TIMEOUT_SECONDS = 3_600

const ACTIVE: ReadonlySet<Workstream["state"]> = new Set([
  "pending",
  "starting",
  "working",
  "finishing",
])

export type SwarmRoom = ReturnType<typeof createSwarm>

/**
 * Tickets in parallel worktrees, up to testing. The manifest of a swarm is a file that is replaced
 * after every step, so a killed process continues at the step it was in.
 */
export function createSwarm(deps: SwarmDeps) {
  const folder = path.join(deps.stateDirectory, "swarm")
  const fileOf = (id: string) => path.join(folder, `${id}.json`)
  /** Runs of this process. A queued run of a killed process never began and never will. */
  const startedHere = new Set<string>()

  async function read(id: string): Promise<Swarm | undefined> {
    const outcome = await readTextBounded(fileOf(id), { maxBytes: LARGEST_MANIFEST_BYTES })
    return outcome.kind === "read" ? Swarm.safeParse(parseJson(outcome.text)).data : undefined
  }

  async function newest(): Promise<Swarm | undefined> {
    const listed = await listDirectory(folder, { maxEntries: MOST_SWARMS })
    const names = listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
    const last = names
      .filter((it) => /^sw_\w+\.json$/.test(it))
      .toSorted()
      .at(-1)
    return last === undefined ? undefined : read(last.slice(0, -".json".length))
  }

  /** The manifest is replaced, and the change is appended to the history. */
  async function save(swarm: Swarm, what: string): Promise<void> {
    await ensureDirectory(folder)
    await writeFileAtomic(fileOf(swarm.id), `${JSON.stringify(swarm, null, 1)}\n`)
    await createJsonl(path.join(folder, `${swarm.id}.history.jsonl`)).append({
      at: deps.clock.now(),
      what,
    })
    const db = await deps.db()
    await db.transaction(async (tx) => tx.emit("swarm.changed", { id: swarm.id }))
  }

  async function change(
    id: string,
    name: string,
    fields: Partial<Workstream>,
  ): Promise<Workstream> {
    return whileLocked(fileOf(id), async () => {
      const swarm = await read(id)
      const before = swarm?.workstreams.find((it) => it.name === name)
      if (swarm === undefined || before === undefined) throw WorkstreamUnknown({ name, names: [] })
      const after = { ...before, ...fields }
      const workstreams = swarm.workstreams.map((it) => (it.name === name ? after : it))
      const ticket = after.tickets[after.current]?.id ?? ""
      await save({ ...swarm, workstreams }, `${name} ${after.state} ${ticket}`)
      return after
    })
  }

  async function plan(
    input: ParsedInput<"swarm.plan">,
    call: Call,
  ): Promise<SwarmPlan & { readonly text: string }> {
    const board = await deps.board()
    const ready = board.ready({ limit: MOST_TICKETS }).tickets
    const chosen =
      input.tickets.length === 0
        ? ready
        : input.tickets.map((it) => board.detail({ id: it }).ticket)
    const planned: PlannedTicket[] = []
    const left: SwarmPlan["left"] = []
    for (const ticket of chosen) {
      call.signal.throwIfAborted()
      const reason = refusalOf(ticket)
      const touch = reason === undefined ? await planTicket(ticket, deps.sources) : undefined
      if (touch !== undefined) planned.push(touch)
      else
        left.push({
          id: ticket.id,
          title: ticket.title,
          reason: reason ?? "no files are known for it; add paths",
        })
    }
    const settings = deps.settings()
    const parts = partitionTickets(planned, input.workstreams ?? settings.workstreams)
    const definition =
      input.definition === undefined ? undefined : await deps.definition(input.definition)
    const model = definition?.model ?? null
    const tier = tierOf(model)
    return {
      workstreams: parts.workstreams,
      left: [...left, ...parts.left],
      conflicts: await plannedConflicts(parts.workstreams, call),
      agent: input.agent ?? settings.agent,
      model,
      tier,
      budgetUsd: TIER_BUDGET_USD[tier],
      text: definition?.text ?? "",
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

  async function start(input: ParsedInput<"swarm.run">, call: Call): Promise<Swarm> {
    const { text: _, ...planned } = await plan(input, call)
    if (planned.workstreams.length === 0) throw NothingToPlan({ left: planned.left.length })
    const git = await (await deps.worktrees()).git(call)
    const { output: branch, code } = await git.ask(["symbolic-ref", "--quiet", "--short", "HEAD"])
    if (code !== 0) throw NoBaseBranch({})
    const id = deps.ids.next("sw")
    const swarm: Swarm = {
      id,
      createdAt: deps.clock.now(),
      baseRef: branch.trim(),
      baseCommit: (await git.commitOf("HEAD")) ?? "",
      agent: planned.agent,
      model: planned.model,
      tier: planned.tier,
      budgetUsd: input.budget ?? planned.budgetUsd,
      workstreams: planned.workstreams.map(({ name, tickets }) => ({
        name,
        state: "pending",
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
      })),
    }
    await save(swarm, "planned")
    return swarm
  }

  /** Continues every active workstream until all wait for a person. One process at a time. */
  async function drive(swarm: Swarm, script: string | undefined, call: Call): Promise<Swarm> {
    await ensureDirectory(folder)
    return whileLocked(path.join(folder, `${swarm.id}.drive`), async () => {
      // Runs of a killed process become interrupted, and continue.
      await (await deps.agents()).recover()
      await Promise.all(
        swarm.workstreams.map((it) => driveStream(swarm, it.name, { script, call })),
      )
      return (await read(swarm.id)) ?? swarm
    })
  }

  type DriveOptions = { readonly script: string | undefined; readonly call: Call }

  async function driveStream(swarm: Swarm, name: string, options: DriveOptions): Promise<void> {
    for (;;) {
      options.call.signal.throwIfAborted()
      const current = (await read(swarm.id))?.workstreams.find((it) => it.name === name)
      if (current === undefined || !ACTIVE.has(current.state)) return
      try {
        await step(swarm, current, options)
      } catch (error) {
        options.call.signal.throwIfAborted()
        const reason = error instanceof Error ? error.message : String(error)
        await change(swarm.id, name, { state: "failed", reason })
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
    return (await deps.board()).detail({ id }).ticket.lane
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
    await change(swarm.id, it.name, {
      state: "starting",
      path: record.path,
      branch: record.branch,
    })
  }

  /** The prompt starts with a mark, by which a run that was started before a kill is found. */
  async function startRun(swarm: Swarm, it: Workstream, options: DriveOptions): Promise<void> {
    const ticket = ticketOf(it)
    const by = { workstream: it.name, agent: swarm.agent }
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
    await agents.edit(run.id, { labels: [ticket.id, swarm.id] })
    await change(swarm.id, it.name, {
      state: "working",
      runs: [...it.runs.filter((id) => id !== run.id && id !== earlier?.id), run.id],
      lastActivityAt: deps.clock.now(),
    })
  }

  async function inputOf(
    swarm: Swarm,
    it: Workstream,
    { mark, options }: { readonly mark: string; readonly options: DriveOptions },
  ) {
    const ticket = ticketOf(it)
    const { body, ticket: card } = (await deps.board()).detail({ id: ticket.id })
    const criteria = card.acceptance.map((line) => `- ${line.text}`)
    const prompt = [
      `Workstream ${mark}: ${card.title}`,
      body.trim(),
      ...(criteria.length === 0 ? [] : ["Acceptance criteria:", ...criteria]),
      `Change only these files, and tests: ${ticket.touch.join(", ")}.`,
      ...(it.feedback === null
        ? []
        : [`A person reviewed the earlier attempt and sent it back: ${it.feedback}`]),
      "Do not commit, and do not move tickets. Stop when the criteria are met.",
    ]
    return {
      type: swarm.agent satisfies AgentType,
      prompt: prompt.filter((line) => line !== "").join("\n\n"),
      configuration: {
        cwd: it.path ?? "",
        mode: deps.settings().mode,
        budgetUsd: swarm.budgetUsd,
        env: await environmentOf(it, options.call),
        ...(swarm.model === null ? {} : { model: swarm.model }),
        ...(options.script === undefined ? {} : { script: options.script }),
      },
    }
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
        await change(swarm.id, it.name, { ...fields, state: "finishing" })
        return
      case "queued":
        if (!startedHere.has(run.id)) await change(swarm.id, it.name, { state: "starting" })
        return
      case "interrupted":
        startedHere.add(run.id)
        await agents.send(run.id, "Continue the task where you stopped.", {
          env: await environmentOf(it, call),
        })
        return
      case "failed":
      case "stopped": {
        const isSpent = run.budgetUsd !== null && (costUsd ?? 0) >= run.budgetUsd
        const reason = isSpent
          ? `the budget of $${run.budgetUsd} is used`
          : (run.error ?? `the run ${run.status}`)
        await change(swarm.id, it.name, { ...fields, state: isSpent ? "paused" : "failed", reason })
        return
      }
      default:
        if (isStale && run.status !== "waiting") await evict(swarm, it, call)
        else if (costUsd !== it.costUsd) await change(swarm.id, it.name, fields)
    }
  }

  /** The ticket goes back to the backlog; the worktree stays as it is. */
  async function evict(swarm: Swarm, it: Workstream, call: Call): Promise<void> {
    await (await deps.agents()).stop(it.runs.at(-1) ?? "")
    const by = { workstream: it.name, agent: swarm.agent }
    const ticket = ticketOf(it)
    if ((await laneOf(ticket.id)) === "working")
      await (await deps.board({ by })).evict({ id: ticket.id, lane: "backlog" }, call)
    const reason = `no activity for ${deps.settings().staleMinutes} minutes`
    await change(swarm.id, it.name, { state: "evicted", reason })
  }

  async function finish(swarm: Swarm, it: Workstream, { call }: DriveOptions): Promise<void> {
    const worktrees = await deps.worktrees()
    const ticket = ticketOf(it)
    await worktrees.commitAll(it.worktree, `${ticket.title}\n\nTicket: ${ticket.id}`, call)
    const { changed } = await worktrees.check({ name: it.worktree }, call)
    if (changed.length === 0) throw new Error("the agent changed no file")
    const evidence = await captureChecks(swarm, it, call)
    const by = { workstream: it.name, agent: swarm.agent }
    if ((await laneOf(ticket.id)) === "working")
      await (await deps.board({ by })).move({ id: ticket.id, lane: "testing" }, call)
    const isLast = it.current === it.tickets.length - 1
    await change(swarm.id, it.name, {
      evidence,
      feedback: null,
      ...(isLast
        ? { state: "parked" }
        : { state: "starting", current: it.current + 1, attempt: 1 }),
    })
  }

  /** Runs each configured check in the worktree, unless it passed on these files already. */
  async function captureChecks(
    swarm: Swarm,
    it: Workstream,
    call: Call,
  ): Promise<Workstream["evidence"]> {
    const by = { workstream: it.name, agent: swarm.agent }
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

  async function find(name: string): Promise<{ swarm: Swarm; stream: Workstream }> {
    const swarm = await newest()
    const stream = swarm?.workstreams.find((it) => it.name === name)
    if (swarm !== undefined && stream !== undefined) return { swarm, stream }
    throw WorkstreamUnknown({ name, names: swarm?.workstreams.map((it) => it.name) ?? [] })
  }

  return {
    async plan(input: ParsedInput<"swarm.plan">, call: Call): Promise<SwarmPlan> {
      const { text: _, ...planned } = await plan(input, call)
      return planned
    },

    async run({ script, ...input }: ParsedInput<"swarm.run">, call: Call): Promise<Swarm> {
      await deps.refuseUnlessAuto(call.caller)
      const last = await newest()
      const isOpen = last?.workstreams.some((it) => ACTIVE.has(it.state)) === true
      const swarm = isOpen && last !== undefined ? last : await start({ ...input, script }, call)
      return drive(swarm, script, call)
    },

    async review(call: Call): Promise<SwarmReview> {
      const swarm = await newest()
      if (swarm === undefined) return { swarm: null, diffs: [], conflicts: [] }
      const worktrees = await deps.worktrees()
      const git = await worktrees.git(call)
      const diffs: SwarmReview["diffs"] = []
      const conflicts: SwarmReview["conflicts"] = []
      const open = swarm.workstreams.filter((it) => it.branch !== null && !isClosed(it))
      for (const it of open) {
        const names = await git.ask([
          "diff",
          "--numstat",
          "-z",
          "--no-renames",
          `${swarm.baseRef}...${it.branch}`,
          "--",
        ])
        diffs.push({ workstream: it.name, files: parseNumstat(names.output) })
        const check = await worktrees.check({ name: it.worktree }, call)
        if ((check.base?.conflicts.length ?? 0) > 0)
          conflicts.push({
            workstream: it.name,
            with: swarm.baseRef,
            files: check.base?.conflicts ?? [],
          })
        for (const other of open) {
          const forecast = check.others.find((row) => row.with === other.worktree)
          if (it.name < other.name && forecast !== undefined && forecast.conflicts.length > 0)
            conflicts.push({ workstream: it.name, with: other.name, files: forecast.conflicts })
        }
      }
      return { swarm, diffs, conflicts }
    },

    /** Merges as tested: the base comes in first, the checks run on the result. */
    async approve({ workstream }: { readonly workstream: string }, call: Call): Promise<Swarm> {
      const { swarm, stream } = await find(workstream)
      if (stream.state !== "parked")
        throw WorkstreamNotReady({ name: workstream, state: stream.state })
      const worktrees = await deps.worktrees()
      const updated = await worktrees.update(stream.worktree, call)
      if (updated.kind === "conflict")
        throw MergeConflict({ name: workstream, files: updated.files })
      if (updated.kind === "refused")
        throw MergeRefused({ name: workstream, reason: updated.reason })
      const evidence = await captureChecks(swarm, stream, call)
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
      await change(swarm.id, workstream, { state: "approved", evidence })
      const request = { name: stream.worktree, keepBranch: false, force: true }
      await worktrees.remove(request, call)
      return (await read(swarm.id)) ?? swarm
    },

    async sendBack(
      { workstream, feedback }: ParsedInput<"swarm.reject">,
      call: Call,
    ): Promise<Swarm> {
      const { swarm, stream } = await find(workstream)
      if (stream.state !== "parked")
        throw WorkstreamNotReady({ name: workstream, state: stream.state })
      const { id } = ticketOf(stream)
      if ((await laneOf(id)) === "testing")
        await (await deps.board()).reject({ id, feedback }, call)
      await change(swarm.id, workstream, {
        state: "starting",
        attempt: stream.attempt + 1,
        feedback,
      })
      return (await read(swarm.id)) ?? swarm
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
      const last = stream.runs.at(-1)
      if (last !== undefined) await (await deps.agents()).stop(last)
      await change(swarm.id, workstream, { state: "discarded" })
      if (stream.path !== null) {
        const request = { name: stream.worktree, keepBranch: true, force: true }
        await (await deps.worktrees()).remove(request, call)
      }
      return (await read(swarm.id)) ?? swarm
    },
  }
}
