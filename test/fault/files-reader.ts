import { setTimeout as sleep } from "node:timers/promises"
import { readTextBounded } from "#ground/base"

/**
 * Reads one file until a line arrives on stdin, and prints what it saw: `files-reader.ts <path>`.
 */
const [path = ""] = process.argv.slice(2)
const seen = { reads: 0, failures: 0, empty: 0, torn: 0 }
let isOver = false
process.stdin.once("data", () => {
  isOver = true
})
console.log("ready")
while (!isOver) {
  const outcome = await readTextBounded(path, { maxBytes: 1_000_000 })
  seen.reads++
  if (outcome.kind !== "read") seen.failures++
  else if (outcome.text === "") seen.empty++
  else if (!isWhole(outcome.text)) seen.torn++
  // Four readers without a pause would slow the writers down and see fewer of their states.
  await sleep(1)
}
console.log(JSON.stringify(seen))
process.exit(0)

function isWhole(text: string): boolean {
  try {
    const { fill, length } = JSON.parse(text)
    return fill.length === length
  } catch {
    return false
  }
}
