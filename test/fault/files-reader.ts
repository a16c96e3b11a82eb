import { setTimeout as sleep } from "node:timers/promises"
import { readTextBounded } from "#ground/base"

/** Reads one file until a line comes in, and says what it saw: `files-reader.ts <path>`. */
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
  // Four that never rest keep the writers from their work, and meet fewer of their moments.
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
