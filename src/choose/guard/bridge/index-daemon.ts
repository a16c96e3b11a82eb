import { hash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { askSocket, type ListenOutcome, listenOnSocket } from "#ground/base"
import {
  LARGEST_ANSWER_BYTES,
  LARGEST_QUESTION_BYTES,
  LONGEST_ANNOUNCE_MS,
  LONGEST_ASK_MS,
  LONGEST_QUESTION_WAIT_MS,
  LONGEST_SOCKET_PATH_BYTES,
  MOST_DAEMON_CONNECTIONS,
} from "./limits.ts"
import {
  cutPackage,
  type DaemonQuestion,
  readAnswer,
  readQuestion,
  writeAnswer,
  writeQuestion,
} from "./question.ts"

export type DaemonAddress = {
  /** The user's own folder, `~/.qm`. */
  readonly home: string
  readonly stateDirectory: string
  /** Of the worktree: a package is of its files, not of another branch's. */
  readonly root: string
}

/** Where the index daemon of a worktree is reached. */
export function indexDaemonSocket({ home, stateDirectory, root }: DaemonAddress): string {
  const name = hash("sha256", `${stateDirectory}\0${root}`).slice(0, 16)
  if (process.platform === "win32") return `\\\\.\\pipe\\qm-${name}`
  const usual = join(home, "kit", "run", `${name}.sock`)
  // One character is left for the name it has while it is made.
  if (Buffer.byteLength(usual) < LONGEST_SOCKET_PATH_BYTES) return usual
  return join(tmpdir(), `qm-${process.getuid?.() ?? 0}`, `${name}.sock`)
}

type PackageQuestion = Omit<DaemonQuestion, "kind">

/** The index daemon of a repository, as a hook sees it: it answers in time, or there is nothing to say. */
export function indexDaemonClient(place: DaemonAddress, signal: AbortSignal) {
  const path = indexDaemonSocket(place)
  const ask = (question: DaemonQuestion, timeoutMs: number) =>
    askSocket({
      path,
      line: writeQuestion(question),
      timeoutMs,
      maxBytes: LARGEST_ANSWER_BYTES,
      signal,
    })
  return {
    /** Says what will be asked for in a moment. False when nobody hears it. */
    announce: async (asked: PackageQuestion): Promise<boolean> =>
      (await ask({ kind: "prepare", ...asked }, LONGEST_ANNOUNCE_MS)) !== undefined,
    packageFor: async (asked: PackageQuestion): Promise<string | undefined> =>
      readAnswer(await ask({ kind: "package", ...asked }, LONGEST_ASK_MS)),
  }
}

type DaemonListener = DaemonAddress & {
  /** null when there is nothing to say. */
  answer(question: DaemonQuestion): Promise<string | null>
}

/** Answers the hooks of a repository, if nobody does yet. */
export function listenAsIndexDaemon(listener: DaemonListener): Promise<ListenOutcome> {
  return listenOnSocket({
    path: indexDaemonSocket(listener),
    maxBytes: LARGEST_QUESTION_BYTES,
    patienceMs: LONGEST_QUESTION_WAIT_MS,
    maxConnections: MOST_DAEMON_CONNECTIONS,
    async answer(line) {
      const question = readQuestion(line)
      const text = question === undefined ? null : await listener.answer(question)
      return writeAnswer(text === null ? null : cutPackage(text))
    },
  })
}
