import { type ListenOutcome, listenOnSocket } from "#ground/base"
import { type KeeperPlace, keeperSocket } from "./keeper-place.ts"
import { KEEPER_PATIENCE_MS, LARGEST_QUESTION_BYTES, MOST_KEEPER_CONNECTIONS } from "./limits.ts"
import { cutPackage, type KeeperQuestion, readQuestion, writeAnswer } from "./question.ts"

export type Keeping = KeeperPlace & {
  /** null when there is nothing to say. */
  answer(question: KeeperQuestion): Promise<string | null>
}

/** Answers the hooks of a repository, if nobody does yet. */
export function listenAsKeeper(keeping: Keeping): Promise<ListenOutcome> {
  return listenOnSocket({
    path: keeperSocket(keeping),
    maxBytes: LARGEST_QUESTION_BYTES,
    patienceMs: KEEPER_PATIENCE_MS,
    maxConnections: MOST_KEEPER_CONNECTIONS,
    async answer(line) {
      const question = readQuestion(line)
      const text = question === undefined ? null : await keeping.answer(question)
      return writeAnswer(text === null ? null : cutPackage(text))
    },
  })
}
