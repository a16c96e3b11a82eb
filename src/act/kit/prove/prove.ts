import { readVerdicts } from "#choose/guard"
import { type Clock, type Random, type RunOutcome, run } from "#ground/base"
import { type DoctorCheck, type HookState, KIT_HOSTS, type KitHost } from "#ground/contract"
import type { Machine } from "../hosts/host.ts"
import { HOST_FORMS } from "../hosts/hosts.ts"
import { toldClaudeCode } from "./hosts/claude-code.ts"
import { toldCodex } from "./hosts/codex.ts"
import type { Stage, ToldHost } from "./hosts/story-host.ts"
import { LARGEST_OUTPUT_BYTES, MOST_REQUESTS } from "./limits.ts"
import { type Model, startModel } from "./models/model.ts"
import { checksOf, lookAt, type StoryOutcome, statesOf } from "./report.ts"
import { deedOf, makeScene, type StoryFolder } from "./scene.ts"

const LONGEST_PROOF_MS = 120_000

/** A story takes about 3 seconds, on a slow machine with a cold disk about 20. */
const LONGEST_HOST_MS = 55_000

export type ProveDeps = {
  readonly machine: Machine
  readonly clock: Clock
  readonly random: Random
  /** Never a program from inside the project. */
  findProgram(host: KitHost): Promise<string | undefined>
  /**
   * Starts the index daemon for a repository and waits until it is warm. Because this one is
   * running, the daemon that the boot hook starts exits.
   */
  keep(root: string): Promise<AsyncDisposable>
}

export type ProveOptions = {
  readonly installed: readonly HookState[]
  readonly trustHooks: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (sentence: string) => void
}

export type Proof = {
  readonly hooks: readonly HookState[]
  readonly checks: readonly DoctorCheck[]
}

/**
 * Starts each host that has our hooks, with the user's setup, on a scripted model that triggers
 * every hook, then reports which hooks ran and what reached the model. Uses no network, costs
 * nothing and leaves nothing behind.
 */
export async function prove(options: ProveOptions, deps: ProveDeps): Promise<Proof> {
  const limit = AbortSignal.timeout(LONGEST_PROOF_MS)
  const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit])
  const proofs: Proof[] = []
  for (const host of KIT_HOSTS) {
    const installed = options.installed.filter((it) => it.host === host)
    const wired = installed.filter((it) => it.state === "installed" || it.state === "fired")
    const hasHooks = wired.length > 0
    if (hasHooks) options.onProgress?.(`Running ${HOST_FORMS[host].title} on a scripted model`)
    const outcome: StoryOutcome = hasHooks
      ? await tell(host, { ...options, installed: wired, signal }, deps)
      : NOTHING_THERE
    const hooks = statesOf(installed, outcome)
    proofs.push({ hooks, checks: checksOf(HOST_FORMS[host].title, hooks, outcome) })
  }
  return {
    hooks: proofs.flatMap((it) => it.hooks),
    checks: proofs.flatMap((it) => it.checks),
  }
}

const NOTHING_THERE: StoryOutcome = {
  kind: "untold",
  why: "No qm hooks are installed in this host.",
}

const TOLD_HOSTS: Partial<Readonly<Record<KitHost, ToldHost>>> = {
  "claude-code": toldClaudeCode,
  codex: toldCodex,
}

type ProveRun = ProveOptions & { readonly signal: AbortSignal }

async function tell(host: KitHost, options: ProveRun, deps: ProveDeps): Promise<StoryOutcome> {
  const { title, folder } = HOST_FORMS[host]
  const toldHost = TOLD_HOSTS[host]
  if (toldHost === undefined) return { kind: "untold", why: `Not proved: ${title} was not run.` }
  const program = await deps.findProgram(host)
  if (program === undefined) {
    return { kind: "untold", why: `${title} is not on the PATH, so it could not run.` }
  }
  await using scene = await makeScene({ random: deps.random, now: deps.clock.now() })
  const hasPackages = options.installed.some((it) => it.hook === "package")
  await using _daemon = hasPackages ? await deps.keep(scene.root) : undefined
  await using model = await startModel(toldHost.dialect, (question) =>
    toldHost.answer(deedOf(question, scene.marks), question, scene),
  )
  const stage: Stage = {
    program,
    scene,
    modelUrl: model.url,
    folder: folder(deps.machine),
    environment: deps.machine.environment,
    trustHooks: options.trustHooks,
    signal: options.signal,
  }
  try {
    return await live({ title, toldHost, stage, model, startedAt: deps.clock.now() })
  } finally {
    await toldHost.sweep(stage)
  }
}

type HostRun = {
  readonly title: string
  readonly toldHost: ToldHost
  readonly stage: Stage
  readonly model: Model
  readonly startedAt: number
}

async function live({ title, toldHost, stage, model, startedAt }: HostRun): Promise<StoryOutcome> {
  const { args, env } = await toldHost.command(stage)
  const outcome = await run(stage.program, args, {
    cwd: stage.scene.root,
    env,
    signal: stage.signal,
    timeoutMs: LONGEST_HOST_MS,
    maxOutputBytes: LARGEST_OUTPUT_BYTES,
  })
  const verdicts = await verdictsOf(stage.scene, startedAt)
  // A host that failed may still have run some of its hooks.
  const isOver = outcome.kind === "exited" && outcome.code === 0
  if (!isOver && verdicts.length === 0) return { kind: "untold", why: whyNot(title, outcome) }
  const why = isOver ? await toldHost.reasons(stage) : () => whyNot(title, outcome)
  return { kind: "told", seen: lookAt(model.asked, verdicts, stage.scene), why }
}

async function verdictsOf({ stateDirectory }: StoryFolder, startedAt: number) {
  const query = { stateDirectory, now: startedAt, sinceMs: startedAt, limit: MOST_REQUESTS }
  return (await readVerdicts(query)).verdicts
}

function whyNot(title: string, outcome: RunOutcome): string {
  switch (outcome.kind) {
    case "exited":
      return `${title} exited with code ${outcome.code} before the test session was over.`
    case "timed-out":
      return `${title} was stopped after ${LONGEST_HOST_MS / 1_000} seconds.`
    case "aborted":
      return `The proof of ${title} was cancelled.`
    case "signalled":
      return `${title} was killed by ${outcome.signal}.`
    case "not-found":
    case "not-started":
      return `${title} could not be started.`
  }
}
