import { askSocket } from "#ground/base"
import { type KeeperPlace, keeperSocket } from "./keeper-place.ts"
import { LARGEST_ANSWER_BYTES, LONGEST_ANNOUNCE_MS, LONGEST_ASK_MS } from "./limits.ts"
import { type KeeperQuestion, readAnswer, writeQuestion } from "./question.ts"

type Asked = Omit<KeeperQuestion, "kind">

/** The keeper of a repository, as a hook sees it: it answers in time, or there is nothing to say. */
export function keeperAt(place: KeeperPlace, signal: AbortSignal) {
  const path = keeperSocket(place)
  const ask = (question: KeeperQuestion, timeoutMs: number) =>
    askSocket({
      path,
      line: writeQuestion(question),
      timeoutMs,
      maxBytes: LARGEST_ANSWER_BYTES,
      signal,
    })
  return {
    /** Says what will be asked for in a moment. False when nobody hears it. */
    announce: async (asked: Asked): Promise<boolean> =>
      (await ask({ kind: "prepare", ...asked }, LONGEST_ANNOUNCE_MS)) !== undefined,
    packageFor: async (asked: Asked): Promise<string | undefined> =>
      readAnswer(await ask({ kind: "package", ...asked }, LONGEST_ASK_MS)),
  }
}
