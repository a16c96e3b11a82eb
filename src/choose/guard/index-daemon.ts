import { hash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  askSocket,
  type ListenOutcome,
  listenOnSocket,
  parseJsonRecord,
  sliceBytes,
} from "#ground/base"
import { sliceLines } from "./message-format.ts"

/**
 * A warm daemon answers within 100 ms, a starting daemon within about a second. A sub-agent works
 * for minutes, and all rules of a hook have 2 seconds.
 */
const LONGEST_ASK_MS = 1_500

const LONGEST_ANNOUNCE_MS = 25

const LARGEST_ANSWER_BYTES = 64 * 1024

const LARGEST_QUESTION_BYTES = 512 * 1024

/** `sun_path` has 104 to 108 bytes. */
export const LONGEST_SOCKET_PATH_BYTES = 100

const LONGEST_QUESTION_WAIT_MS = 1_000

const MOST_DAEMON_CONNECTIONS = 64

type DaemonAddress = {
  readonly home: string
  readonly stateDirectory: string
  readonly root: string
}

export function indexDaemonSocket({ home, stateDirectory, root }: DaemonAddress): string {
  const name = hash("sha256", `${stateDirectory}\0${root}`).slice(0, 16)
  if (process.platform === "win32") return `\\\\.\\pipe\\qm-${name}`
  const usual = join(home, "kit", "run", `${name}.sock`)
  // One byte is reserved for the temporary name.
  if (Buffer.byteLength(usual) < LONGEST_SOCKET_PATH_BYTES) return usual
  return join(tmpdir(), `qm-${process.getuid?.() ?? 0}`, `${name}.sock`)
}

type PackageQuestion = Omit<DaemonQuestion, "kind">

export type PackageAnswer =
  | { readonly kind: "package"; readonly text: string }
  /** The daemon has none: no file fits, or the repository is scanned for the first time. */
  | { readonly kind: "none" }
  | { readonly kind: "late"; readonly afterMs: number }

/** For hooks. */
export function indexDaemonClient(
  address: DaemonAddress & { readonly longestAskMs?: number },
  signal: AbortSignal,
) {
  const { longestAskMs = LONGEST_ASK_MS, longestAskMs: longestAnnounceMs = LONGEST_ANNOUNCE_MS } =
    address
  const path = indexDaemonSocket(address)
  const ask = (question: DaemonQuestion, timeoutMs: number) =>
    askSocket({
      path,
      waitsForListener: question.kind === "package",
      line: writeQuestion(question),
      timeoutMs,
      maxBytes: LARGEST_ANSWER_BYTES,
      signal,
    })
  return {
    announce: async (question: PackageQuestion): Promise<boolean> =>
      (await ask({ kind: "prepare", ...question }, longestAnnounceMs)) !== undefined,
    async packageFor(question: PackageQuestion): Promise<PackageAnswer> {
      const answer = await ask({ kind: "package", ...question }, longestAskMs)
      if (answer === undefined) return { kind: "late", afterMs: longestAskMs }
      const text = readAnswer(answer)
      return text === undefined ? { kind: "none" } : { kind: "package", text }
    },
  }
}

type DaemonListener = DaemonAddress & {
  answer(question: DaemonQuestion): Promise<string | null>
}

export function listenAsIndexDaemon(listener: DaemonListener): Promise<ListenOutcome> {
  return listenOnSocket({
    path: indexDaemonSocket(listener),
    maxBytes: LARGEST_QUESTION_BYTES,
    patienceMs: LONGEST_QUESTION_WAIT_MS,
    maxConnections: MOST_DAEMON_CONNECTIONS,
    async answer(line) {
      const question = readQuestion(line)
      const text = question === undefined ? null : await listener.answer(question)
      return writeAnswer(text === null ? null : sliceLines(text, LARGEST_PACKAGE_BYTES))
    },
  })
}

/** The beginning of a prompt is enough to select a package. */
export const LONGEST_PROMPT_BYTES = 64 * 1024

/** Hosts truncate longer hook output silently. */
export const LARGEST_PACKAGE_BYTES = 9_000

const LONGEST_AGENT_TYPE_UNITS = 200

export type DaemonQuestion = {
  readonly kind: "package" | "prepare"
  readonly session: string
  readonly agentType: string
  readonly prompt: string
}

function writeQuestion(question: DaemonQuestion): string {
  return JSON.stringify({ v: 1, ...question })
}

export function readQuestion(line: string): DaemonQuestion | undefined {
  const { v, kind, session, agentType, prompt } = parseJsonRecord(line) ?? {}
  if (v !== 1 || (kind !== "package" && kind !== "prepare")) return undefined
  if (typeof session !== "string" || typeof agentType !== "string") return undefined
  if (typeof prompt !== "string" || prompt.trim() === "") return undefined
  const isShort = agentType.length <= LONGEST_AGENT_TYPE_UNITS
  return isShort ? { kind, session, agentType, prompt: cutPrompt(prompt) } : undefined
}

export function writeAnswer(text: string | null): string {
  return JSON.stringify({ v: 1, text })
}

export function readAnswer(line: string | undefined): string | undefined {
  const { v, text } = parseJsonRecord(line ?? "") ?? {}
  if (v !== 1 || typeof text !== "string" || text.trim() === "") return undefined
  return Buffer.byteLength(text) <= LARGEST_PACKAGE_BYTES ? text : undefined
}

export function cutPrompt(prompt: string): string {
  return sliceBytes(prompt, LONGEST_PROMPT_BYTES)
}
