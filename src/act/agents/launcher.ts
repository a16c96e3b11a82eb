import type { Log } from "#ground/base"
import type { AgentType, Run, RunConfiguration } from "#ground/contract"
import type { Agent, StartOptions } from "./agent.ts"
import type { Book } from "./book.ts"
import { ProgramMissing } from "./errors.ts"
import { goLive, type Live } from "./live.ts"
import type { LiveDeps } from "./state.ts"
import type { Draft } from "./transcript.ts"

export type LauncherDeps = Omit<LiveDeps, "nextTurn"> & {
  readonly log: Log
  agent(type: AgentType): Promise<Agent>
  /** What a child sees of the environment, by the allow-list of its kind. */
  environmentFor(type: AgentType): Readonly<Record<string, string>>
  environment(): Readonly<Record<string, string | undefined>>
  projectFolders(directory: string): Promise<readonly string[]>
  maxRunning(): number
}

/** The agents at work in this process: started when there is room, and gone when they end. */
export function createLauncher(deps: LauncherDeps, book: Book) {
  const live = new Map<string, Live>()
  const starting = new Set<string>()

  /** Starts what waits, as long as there is room. */
  async function fill(): Promise<void> {
    const waiting = (await book.unfinished()).filter(
      (it) => it.run.status === "queued" && it.hidden.owner === null,
    )
    for (const { run, hidden } of waiting) {
      if (live.size + starting.size >= deps.maxRunning()) return
      if (!starting.has(run.id)) await launch(run, hidden.configuration)
    }
  }

  /** Nobody waits for it; what fails is said in the log, and the run stays queued. */
  function fillSoon(): void {
    fill().catch((error: unknown) => deps.log.error("run not started", { error: String(error) }))
  }

  async function launch(run: Run, configuration: RunConfiguration): Promise<void> {
    starting.add(run.id)
    try {
      const claim = await book.claim(run.id)
      if (claim === undefined) return
      const prompt = (await book.takeTurn(run.id)) ?? run.prompt
      await deps.writer.append(claim, [userDraft(prompt, deps)])
      const { agent, options } = await prepare({ run, configuration, prompt }, deps)
      const job = { run, claim, agent, options }
      const made = await goLive(job, { ...deps, nextTurn: book.takeTurn })
      live.set(run.id, made)
      void made.done.finally(() => {
        live.delete(run.id)
        fillSoon()
      })
    } finally {
      starting.delete(run.id)
    }
  }

  return {
    fill,
    fillSoon,
    launch,
    find: (runId: string): Live | undefined => live.get(runId),
    async close(): Promise<void> {
      const running = [...live.values()]
      await Promise.all(running.map((it) => it.stop()))
      await Promise.all(running.map((it) => it.done))
    },
  }
}

type Wanted = {
  readonly run: Run
  readonly configuration: RunConfiguration
  readonly prompt: string
}

async function prepare(
  { run, configuration, prompt }: Wanted,
  deps: LauncherDeps,
): Promise<{ readonly agent: Agent; readonly options: StartOptions }> {
  const agent = await deps.agent(run.type)
  const projectFolders = await deps.projectFolders(run.cwd)
  const found = await agent.find({ environment: deps.environment(), projectFolders })
  const options: StartOptions = {
    cwd: run.cwd,
    prompt,
    mode: run.mode,
    model: configuration.model,
    resume: run.sessionId ?? configuration.resume,
    script: configuration.script,
    environment: { ...deps.environmentFor(run.type), ...configuration.env },
    program: found.kind === "found" ? found.program : "",
    signal: new AbortController().signal,
  }
  return { agent: found.kind === "found" ? agent : missing(agent, found.hint), options }
}

/** Stands in for a program that is not here, so that its run fails like any other start. */
function missing(agent: Agent, hint: string): Agent {
  return {
    ...agent,
    start: async () => Promise.reject(ProgramMissing({ type: agent.title, install: hint })),
  }
}

function userDraft(text: string, deps: Pick<LauncherDeps, "redact">): Draft {
  return { type: "user", role: "user", content: deps.redact(text), metadata: {} }
}
