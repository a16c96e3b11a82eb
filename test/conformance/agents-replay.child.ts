import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"

/**
 * Plays a recorded host: prints what it said, and waits for a line wherever it was spoken to. The
 * recording is the first argument; a host's own arguments follow and are not read.
 */
type Moment = { readonly to: "host" } | { readonly from: unknown }

const [, , recording = ""] = process.argv
const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
for (const line of readFileSync(recording, "utf8").trimEnd().split("\n")) {
  const moment = JSON.parse(line) as Moment
  if ("to" in moment) await spokenTo()
  else process.stdout.write(`${JSON.stringify(moment.from)}\n`)
}
process.stdin.destroy()

/** The window is asked for whenever one likes to know, so that is no moment of the recording. */
async function spokenTo(): Promise<void> {
  for (;;) {
    const { done, value } = await input.next()
    if (done === true || !String(value).includes("get_context_usage")) return
  }
}
