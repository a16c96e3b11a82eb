import { answerQuestions } from "#ground/base"
import type { FileFacts, SourceFile } from "#know/map"

/** Replaces the parser's thread: the text of a file selects what happens to the thread. */
answerQuestions(async (files: readonly SourceFile[]) => {
  const facts: FileFacts[] = []
  for (const { text, language } of files) {
    if (text === "exit") process.exit(3)
    // As unresponsive as an infinite loop, without using the core.
    if (text === "loop") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    if (text === "throw") throw new Error("a bug of ours")
    const references = [{ name: text, line: 1 }]
    facts.push({ language, packages: [], symbols: [], references, imports: [], problems: [] })
    if (text === "spend") return await Promise.resolve({ facts, done: facts.length, isSpent: true })
  }
  return { facts, done: facts.length, isSpent: false }
})
