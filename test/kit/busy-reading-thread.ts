import { existsSync, writeFileSync } from "node:fs"
import { answerQuestions } from "#ground/base"

/**
 * Replaces the reading thread on a busy machine: the path of a text is a file that counts how often
 * it was read, and the first three attempts are not answered.
 */
answerQuestions(async (items: readonly { readonly key: string }[]) => {
  for (const { key } of items) {
    const attempt = [1, 2, 3].map((it) => `${key}.${it}`).find((it) => !existsSync(it))
    if (attempt === undefined) continue
    writeFileSync(attempt, "")
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
  return { done: items.length, isSpent: false }
})
