import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"

/**
 * Replays a recorded host: prints its messages and waits for a line wherever the recording has
 * input. The first argument is the recording; the host's own arguments follow and are ignored.
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

/** Requests for the context window and the registration of hooks are not part of the recording. */
async function spokenTo(): Promise<void> {
  for (;;) {
    const { done, value } = await input.next()
    if (done === true || !/"subtype":"(?:get_context_usage|initialize)"/.test(String(value))) return
  }
}
