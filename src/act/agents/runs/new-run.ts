import path from "node:path"
import type { Clock, Ids } from "#ground/base"
import type { AgentType, Run, RunConfiguration } from "#ground/contract"
import { DirectoryUnusable } from "../errors.ts"
import { LEASE_MS, TITLE_CHARACTERS } from "../limits.ts"
import type { Book } from "./kept/book.ts"
import type { Owner } from "./kept/rows.ts"

export type StartInput = {
  readonly type: AgentType
  readonly prompt: string
  readonly configuration: RunConfiguration
}

/** A run before its agent has said anything. */
export function newRun(
  { type, prompt, configuration }: StartInput,
  made: { readonly id: string; readonly cwd: string; readonly at: number },
): Run {
  return {
    id: made.id,
    type,
    title: titleOf(prompt),
    isTitleOwn: false,
    prompt,
    status: "queued",
    cwd: made.cwd,
    model: configuration.model ?? null,
    mode: configuration.mode,
    sessionId: null,
    hostVersion: null,
    createdAt: made.at,
    startedAt: null,
    endedAt: null,
    updatedAt: made.at,
    lastSeq: 0,
    turns: 0,
    error: null,
    cost: {
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      reportedUsd: null,
      computedUsd: null,
    },
    budgetUsd: configuration.budgetUsd ?? null,
    budgetTokens: configuration.budgetTokens ?? null,
    contextUsed: null,
    contextWindow: null,
    labels: [],
    workflow: "in progress",
    isArchived: false,
    origin: "started",
    openApprovals: 0,
    queuedTurns: 0,
  }
}

function titleOf(prompt: string): string {
  const line = prompt.trim().split("\n")[0] ?? ""
  return line.length <= TITLE_CHARACTERS
    ? line
    : `${line.slice(0, TITLE_CHARACTERS).toWellFormed()}…`
}

type PlaceDeps = {
  directoryProblem(directory: string): Promise<string | undefined>
  /** Whether a directory belongs to the repository in which agents work. */
  belongsToRepository(directory: string): Promise<boolean>
  root(): string
}

type AddDeps = PlaceDeps & {
  readonly book: Book
  readonly clock: Clock
  readonly ids: Ids
  readonly owner: Owner
  /** Whether only this process may work on it. */
  readonly isHere: boolean
  redact(text: string): string
}

/** Makes a run and puts its first turn into the queue. */
export async function addRun(input: StartInput, deps: AddDeps): Promise<Run> {
  const cwd = await usableDirectory(input.configuration.cwd, deps)
  // The agent gets the words as they are, from the queue; what is kept has no secret in it.
  const shown = { ...input, prompt: deps.redact(input.prompt) }
  const run = newRun(shown, { cwd, id: deps.ids.next("run"), at: deps.clock.now() })
  const { env = {}, ...rest } = input.configuration
  // Their names alone are kept, so that a later start knows what it lacks.
  const names = Object.fromEntries(Object.keys(env).map((it) => [it, ""]))
  const configuration = { ...rest, ...(Object.keys(env).length === 0 ? {} : { env: names }) }
  const owner = deps.isHere ? deps.owner : null
  const at = deps.clock.now()
  const turn = {
    id: deps.ids.next("cmd"),
    runId: run.id,
    kind: "turn",
    body: input.prompt,
    at,
  } as const
  await deps.book.add(run, { configuration, owner, leaseUntil: at + LEASE_MS }, turn)
  return run
}

/** An absolute directory of this repository, or why it cannot be one. */
export async function usableDirectory(given: string | undefined, deps: PlaceDeps): Promise<string> {
  const directory = path.resolve(deps.root(), given ?? ".")
  const problem = await deps.directoryProblem(directory)
  if (problem !== undefined) throw DirectoryUnusable({ path: given ?? directory, reason: problem })
  // An agent works where this repository is, not wherever a request points.
  if (await deps.belongsToRepository(directory)) return directory
  throw DirectoryUnusable({ path: given ?? directory, reason: "it lies outside this repository" })
}
