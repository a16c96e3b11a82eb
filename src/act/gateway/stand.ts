import { hash } from "node:crypto"
import { tmpdir } from "node:os"
import path from "node:path"
import { z } from "zod"
import type { WireStand } from "#choose/fold"
import {
  askSocket,
  isSameProcessAlive,
  listDirectory,
  listenOnSocket,
  removeFile,
  type SocketServer,
} from "#ground/base"
import {
  LARGEST_STAND_LINE_BYTES,
  LONGEST_SOCKET_PATH_BYTES,
  MOST_CARRIERS,
  MOST_STAND_CONNECTIONS,
  STAND_PATIENCE_MS,
} from "./limits.ts"

export type StandQuestion = {
  readonly session: string
  /** Absent when a branch is about to be opened. */
  readonly branchId?: string | undefined
}

export type StandPlace = {
  /** The user's own folder, `~/.qm`. */
  readonly home: string
  /** Of the repository and all its worktrees. */
  readonly stateDirectory: string
}

const Question = z.object({ session: z.string(), branchId: z.string().optional() })
const Answer = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("carried") }),
  z.object({ kind: z.literal("no"), why: z.string() }),
  z.object({ kind: z.literal("unknown") }),
])
export type StandAnswer = z.infer<typeof Answer>

/** Of a process that has not heard of the session: another one may have. */
export const UNKNOWN: StandAnswer = { kind: "unknown" }

/**
 * Answers the processes that serve an agent its tools, from memory. That a session is carried is
 * known only while the process lives that carries it, so nothing of it is written down.
 */
export async function listenForStands(
  place: StandPlace,
  pid: number,
  answer: (question: StandQuestion) => StandAnswer,
): Promise<SocketServer | undefined> {
  // Named pipes cannot be listed: there nobody finds us, and nothing is folded.
  if (process.platform === "win32") return undefined
  const { folder, prefix } = standsOf(place)
  // What processes left that were killed would be asked before us, and more each time.
  for (const it of await socketsIn(place)) if (!isThere(it)) await removeFile(it)
  const outcome = await listenOnSocket({
    path: path.join(folder, `${prefix}-${pid}.sock`),
    maxBytes: LARGEST_STAND_LINE_BYTES,
    patienceMs: STAND_PATIENCE_MS,
    maxConnections: MOST_STAND_CONNECTIONS,
    answer: async (line) => JSON.stringify(answerLine(line, answer)),
  })
  return outcome.kind === "listening" ? outcome.server : undefined
}

function answerLine(line: string, answer: (question: StandQuestion) => StandAnswer): StandAnswer {
  const question = Question.safeParse(parsed(line))
  return question.success ? answer(question.data) : UNKNOWN
}

/** Asks every process that carries something for this repository. */
export async function askStand(place: StandPlace, question: StandQuestion): Promise<WireStand> {
  const sockets = (await socketsIn(place)).filter(isThere).slice(0, MOST_CARRIERS)
  const answers = await Promise.all(sockets.map((it) => askOne(it, question)))
  const answer = joined(answers)
  return answer.kind === "unknown" ? { kind: "no", why: "no gateway carries this session" } : answer
}

/** One that carries it is enough; else the reason of one that knows it. */
export function joined(answers: readonly StandAnswer[]): StandAnswer {
  const carried = answers.find((it) => it.kind === "carried")
  return carried ?? answers.find((it) => it.kind === "no") ?? UNKNOWN
}

async function socketsIn(place: StandPlace): Promise<readonly string[]> {
  const { folder, prefix } = standsOf(place)
  const listed = await listDirectory(folder)
  const names = listed.kind === "listed" ? listed.entries.map((it) => it.name) : []
  return names
    .filter((it) => it.startsWith(`${prefix}-`) && it.endsWith(".sock"))
    .map((it) => path.join(folder, it))
}

/** Whether the process is there whose number the socket has in its name. */
function isThere(socket: string): boolean {
  const pid = Number(/-(\d+)\.sock$/.exec(socket)?.[1])
  return isSameProcessAlive({ pid, startedAt: undefined })
}

async function askOne(socket: string, question: StandQuestion): Promise<StandAnswer> {
  const line = await askSocket({
    path: socket,
    line: JSON.stringify(question),
    timeoutMs: STAND_PATIENCE_MS,
    maxBytes: LARGEST_STAND_LINE_BYTES,
  })
  const answer = Answer.safeParse(parsed(line ?? ""))
  return answer.success ? answer.data : UNKNOWN
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function standsOf({ home, stateDirectory }: StandPlace) {
  const prefix = hash("sha256", stateDirectory).slice(0, 16)
  const usual = path.join(home, "gateway", "run")
  // The longest number of a process, and one sign for the name it has while it is made.
  const longest = path.join(usual, `${prefix}-4194304.sock~`)
  const isShort = Buffer.byteLength(longest) <= LONGEST_SOCKET_PATH_BYTES
  const folder = isShort ? usual : path.join(tmpdir(), `qm-${process.getuid?.() ?? 0}`)
  return { folder, prefix }
}
