import { hostTitle } from "../../base/hosts.ts"
import { shellWord } from "../../base/shell.ts"
import type { AgentType, IndexedSession, Provider, Run, TranscriptHost } from "../../contract.ts"
import { paths } from "../../data/paths.ts"

export type Resume =
  /** The page from which the session continues. */
  | { readonly kind: "open"; readonly href: string; readonly consequence: string }
  /** Its transcript is imported as a run, whose next turn continues the session. */
  | { readonly kind: "import"; readonly consequence: string }
  | {
      readonly kind: "elsewhere"
      readonly reason: string
      /** Of the host, for a terminal. */
      readonly command?: string | undefined
    }

type ResumeQuestion = {
  readonly id: string
  readonly session: IndexedSession | undefined
  readonly run: Run | undefined
  readonly providers: readonly Provider[]
  /** The repository in which agents of this console work. */
  readonly root: string
}

/** How a session continues: in its run, in a run made from its transcript, or with a command of its host. */
export function resumeOf(question: ResumeQuestion): Resume {
  const { session, run } = question
  // An imported session may have continued in its host since, so its transcript is read again.
  if (run !== undefined && (run.origin !== "read" || session === undefined)) {
    return ofRun(run, question)
  }
  if (session === undefined) return elsewhere("No transcript of it is indexed.")
  return ofTranscript(session, question)
}

function ofRun(run: Run, { providers }: ResumeQuestion): Resume {
  if (WORKING.has(run.status)) return elsewhere("Its run is at work and takes turns on its page.")
  if (run.origin !== "started" && run.sessionId === null) {
    return elsewhere("It was imported from a file, and its session is not on this machine.")
  }
  const problem = missing(run.type, providers)
  if (problem !== undefined) return elsewhere(problem)
  return {
    kind: "open",
    href: paths.run(run.id, { compose: true }),
    consequence: "Opens its run; your next turn continues the session.",
  }
}

const WORKING: ReadonlySet<Run["status"]> = new Set([
  "queued",
  "starting",
  "running",
  "waiting",
  "paused",
])

function ofTranscript(session: IndexedSession, { id, providers, root }: ResumeQuestion): Resume {
  const { host, cwd } = session
  const command = hostCommand(session)
  if (session.spend.calls === 0) return elsewhere("It has no answer yet, so nothing continues.")
  if (cwd === null || !(session.repository === root || isFolderIn(root, cwd))) {
    return elsewhere("Agents of this page work only in this repository. In a terminal:", command)
  }
  const problem = missing(host, providers)
  if (problem !== undefined) return elsewhere(`${problem} In a terminal that has it:`, command)
  const title = hostTitle(host)
  if (host === "claude-code" || host === "codex") {
    const consequence = `Imports the transcript as a run; your next turn continues it in ${title}.`
    return { kind: "import", consequence }
  }
  return {
    kind: "open",
    href: paths.runs({ beside: "new", agent: host, resume: id, dir: cwd === root ? "" : cwd }),
    consequence: `Opens the form for a run that continues it in ${title}.`,
  }
}

function elsewhere(reason: string, command?: string): Resume {
  return { kind: "elsewhere", reason, ...(command === undefined ? {} : { command }) }
}

function missing(type: AgentType, providers: readonly Provider[]): string | undefined {
  const provider = providers.find((it) => it.type === type)
  if (provider?.isInstalled === true) return undefined
  return `${provider?.title ?? type} is not on the PATH of this server.`
}

function isFolderIn(root: string, folder: string): boolean {
  return folder === root || folder.startsWith(`${root}/`)
}

const COMMANDS: Readonly<Record<TranscriptHost, (id: string) => string>> = {
  "claude-code": (id) => `claude --resume ${id}`,
  codex: (id) => `codex resume ${id}`,
  copilot: (id) => `copilot --resume=${id}`,
  gemini: (id) => `gemini --resume ${id}`,
  opencode: (id) => `opencode --session ${id}`,
}

/** Undefined where an id or a path must not be pasted into a shell. */
export function hostCommand({
  host,
  id,
  cwd,
}: Pick<IndexedSession, "cwd" | "host" | "id">): string | undefined {
  const word = id.startsWith("-") ? undefined : shellWord(id)
  if (word === undefined) return undefined
  if (cwd === null) return COMMANDS[host](word)
  // A host finds a session only from the folder in which it ran.
  const folder = cwd.startsWith("-") ? undefined : shellWord(cwd)
  return folder === undefined ? undefined : `cd ${folder} && ${COMMANDS[host](word)}`
}
