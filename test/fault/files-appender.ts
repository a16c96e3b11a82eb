import { createJsonl } from "#ground/base"

/**
 * Appends records and prints each one that is stored: `files-appender.ts <path> <name> <count>`.
 */
const [path = "", name = "", count = "0"] = process.argv.slice(2)
const jsonl = createJsonl(path)
for (let n = 0; n < Number(count); n++) {
  const id = `${name}-${n}`
  // Sometimes longer than a page, so that a kill can truncate a line.
  await jsonl.append({ id, fill: "x".repeat((n * 131) % 9_000) })
  process.stdout.write(`${id}\n`)
}
