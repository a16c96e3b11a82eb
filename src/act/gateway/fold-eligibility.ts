import { hash } from "node:crypto"
import { tmpdir } from "node:os"
import path from "node:path"
import { z } from "zod"
import type { FoldEligibility } from "#choose/fold"
import {
  askSocket,
  isSameProcessAlive,
  listDirectory,
  listenOnSocket,
  parseJson,
  readTextBounded,
  removeFile,
  type SocketServer,
  systemClock,
} from "#ground/base"
import { digest } from "#know/ledger"
import { LEAST_FOLDED_BYTES, type WireState } from "./fold/fold-body.ts"

const LARGEST_LINE_BYTES = 4_096

/** Of a note by the plugin of opencode, with all open branches of a session. */
const LARGEST_NOTE_BYTES = 64 * 1024

/** Processes answer from memory; a stopped one must not delay a `return` for long. */
const ANSWER_PATIENCE_MS = 2_000

const MOST_CONNECTIONS = 64
const MOST_ASKED_PROCESSES = 64

/** `sun_path` has 108 bytes with its NUL, on macOS 104. */
const LONGEST_SOCKET_PATH_BYTES = 103

type EligibilityQuestion = {
  readonly session: string
  /** Absent when a branch is about to be opened. */
  readonly branchId?: string | undefined
}

export type EligibilitySocketPlace = {
  readonly home: string
  readonly stateDirectory: string
}

const Question = z.object({ session: z.string(), branchId: z.string().optional() })
const Answer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("eligible") }),
  z.object({ kind: z.literal("no"), why: z.string() }),
  z.object({ kind: z.literal("unknown") }),
])
type EligibilityAnswer = z.infer<typeof Answer>

const ELIGIBLE = { kind: "eligible" } as const

/** This process does not proxy the session; another one may. */
const UNKNOWN: EligibilityAnswer = { kind: "unknown" }

export type IneligibleSessions = Map<string, string>

export const MOST_SESSIONS = 1_000

export type SessionStates = ReturnType<typeof createSessionStates>

/**
 * The state of the newest request of each session, separate for its main conversation (agent "")
 * and each sub-agent, because they have their own message lists.
 */
export function createSessionStates(latches: IneligibleSessions) {
  const sessions = new Map<string, Map<string, WireState>>()
  return {
    record(session: string, agent: string, state: WireState): void {
      const states = sessions.get(session) ?? new Map<string, WireState>()
      // Deleted first, so that both maps have the newest entry last.
      states.delete(agent)
      states.set(agent, state)
      sessions.delete(session)
      sessions.set(session, states)
      const [oldest] = sessions.keys()
      if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest)
    },
    stateOf: (session: string, agent: string): WireState | undefined =>
      sessions.get(session)?.get(agent),
    eligibility({ session, branchId }: EligibilityQuestion): EligibilityAnswer {
      const states = sessions.get(session)
      if (states === undefined) return UNKNOWN
      const reason = latches.get(session)
      if (reason !== undefined) return no(`folding was switched off: ${reason}`)
      const all = [...states.values()]
      return branchId === undefined ? eligibilityOfAll(all) : eligibilityOfBranch(all, branchId)
    },
  }
}

function no(why: string) {
  return { kind: "no", why } as const
}

/** Any of the session's agents may open the branch, so all of them must be foldable. */
function eligibilityOfAll(all: readonly WireState[]): EligibilityAnswer {
  const doubt = all.find((it) => it.doubt !== null)?.doubt
  return doubt === undefined || doubt === null ? ELIGIBLE : no(doubt)
}

/**
 * The agent that was answered last calls `return`. If another agent opened the branch, no request
 * contains both ends of it.
 */
function eligibilityOfBranch(all: readonly WireState[], branchId: string): EligibilityAnswer {
  const at = all.findIndex((it) => it.branches.some((one) => one.branchId === branchId))
  const state = all[at]
  if (state === undefined) return no(NOT_IN_CONVERSATION)
  if (state.doubt !== null) return no(state.doubt)
  if (at !== all.length - 1) return no("another conversation of this session was active last")
  return eligibilityOfOpen(state.branches, branchId)
}

function eligibilityOfOpen(
  branches: readonly { readonly branchId: string; readonly bytesAfter: number }[],
  branchId: string,
): EligibilityAnswer {
  const open = branches.find((it) => it.branchId === branchId)
  if (open === undefined) return no(NOT_IN_CONVERSATION)
  const isEnough = open.bytesAfter >= LEAST_FOLDED_BYTES
  return isEnough ? ELIGIBLE : no("there is too little to fold")
}

const NOT_IN_CONVERSATION = "its opening is no longer in the conversation"

/**
 * Answers processes that serve tools to an agent. Only the proxying process knows whether a session
 * is eligible, and only while it runs, so nothing is stored.
 */
export async function serveFoldEligibility(
  location: EligibilitySocketPlace,
  pid: number,
  answer: (question: EligibilityQuestion) => EligibilityAnswer,
): Promise<SocketServer | undefined> {
  // Named pipes cannot be listed: on Windows no process would find this one.
  if (process.platform === "win32") return undefined
  const { folder, prefix } = socketPlace(location)
  // Remove the sockets of killed processes; otherwise callers would try more of them each time.
  for (const it of await socketsIn(location)) if (!isOwnerAlive(it)) await removeFile(it)
  const outcome = await listenOnSocket({
    path: path.join(folder, `${prefix}-${pid}.sock`),
    maxBytes: LARGEST_LINE_BYTES,
    patienceMs: ANSWER_PATIENCE_MS,
    maxConnections: MOST_CONNECTIONS,
    answer: async (line) => {
      const question = Question.safeParse(parseJson(line))
      return JSON.stringify(question.success ? answer(question.data) : UNKNOWN)
    },
  })
  return outcome.kind === "listening" ? outcome.server : undefined
}

/** Asks every process that proxies sessions of this repository. */
export async function askFoldEligibility(
  location: EligibilitySocketPlace,
  question: EligibilityQuestion,
): Promise<FoldEligibility> {
  const sockets = (await socketsIn(location)).filter(isOwnerAlive).slice(0, MOST_ASKED_PROCESSES)
  const answers = await Promise.all(sockets.map((it) => askOne(it, question)))
  const answer = joinAnswers([...answers, await readPluginNote(location, question)])
  return answer.kind === "unknown" ? no("no gateway proxies this session") : answer
}

const PluginNote = z.object({
  session: z.string(),
  pid: z.int().positive(),
  at: z.number(),
  open: z.array(z.object({ branchId: z.string(), bytesAfter: z.number() })),
})

/** The plugin writes it right before the call that asks. */
const LONGEST_NOTE_AGE_MS = 60_000

/** The plugin of opencode folds without a gateway (`show/hooks/opencode`). */
async function readPluginNote(
  { stateDirectory }: EligibilitySocketPlace,
  { session, branchId }: EligibilityQuestion,
): Promise<EligibilityAnswer> {
  const file = path.join(stateDirectory, "results", `fold-${digest(session)}`)
  const read = await readTextBounded(file, { maxBytes: LARGEST_NOTE_BYTES })
  const note = PluginNote.safeParse(read.kind === "read" ? parseJson(read.text) : undefined).data
  const isFresh = Math.abs(systemClock.now() - (note?.at ?? 0)) < LONGEST_NOTE_AGE_MS
  if (note?.session !== session || !isFresh) return UNKNOWN
  if (!isSameProcessAlive({ pid: note.pid, startedAt: undefined })) return UNKNOWN
  return branchId === undefined ? ELIGIBLE : eligibilityOfOpen(note.open, branchId)
}

/** One "eligible" is enough; else the reason of a process that knows the session. */
export function joinAnswers(answers: readonly EligibilityAnswer[]): EligibilityAnswer {
  const eligible = answers.find((it) => it.kind === "eligible")
  return eligible ?? answers.find((it) => it.kind === "no") ?? UNKNOWN
}

async function askOne(socket: string, question: EligibilityQuestion): Promise<EligibilityAnswer> {
  const line = await askSocket({
    path: socket,
    line: JSON.stringify(question),
    timeoutMs: ANSWER_PATIENCE_MS,
    maxBytes: LARGEST_LINE_BYTES,
  })
  const answer = Answer.safeParse(parseJson(line ?? ""))
  return answer.success ? answer.data : UNKNOWN
}

async function socketsIn(location: EligibilitySocketPlace): Promise<readonly string[]> {
  const { folder, prefix } = socketPlace(location)
  const listed = await listDirectory(folder)
  const names = listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
  return names
    .filter((it) => it.startsWith(`${prefix}-`) && it.endsWith(".sock"))
    .map((it) => path.join(folder, it))
}

function isOwnerAlive(socket: string): boolean {
  const pid = Number(/-(\d+)\.sock$/.exec(socket)?.[1])
  return isSameProcessAlive({ pid, startedAt: undefined })
}

function socketPlace({ home, stateDirectory }: EligibilitySocketPlace) {
  const prefix = hash("sha256", stateDirectory).slice(0, 16)
  const usual = path.join(home, "gateway", "run")
  // The largest pid, and the character that the name has while the socket is created.
  const longest = path.join(usual, `${prefix}-4194304.sock~`)
  const isShort = Buffer.byteLength(longest) <= LONGEST_SOCKET_PATH_BYTES
  const folder = isShort ? usual : path.join(tmpdir(), `qm-${process.getuid?.() ?? 0}`)
  return { folder, prefix }
}
