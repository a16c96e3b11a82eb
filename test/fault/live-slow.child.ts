import { createInterface } from "node:readline"
import { createApp } from "#show/app"
import { serve } from "#show/http"
import { testClock } from "#test/clock"
import { say } from "#test/server"

/**
 * A server in its own process, so that its memory can be measured: `node … <folder>`. It reads
 * commands from stdin and answers each with one line. Its clock advances only on command.
 */
const directory = process.argv[2] ?? ""
const clock = testClock()
const app = await createApp({
  directory,
  environment: { QM_HOME: `${directory}/home` },
  settings: [],
  writeLog: (line) => process.stderr.write(line),
})
const serving = await serve({ app, port: 0, mayMove: false, clock })
const store = await app.store()
const answer = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

answer({ port: serving.port, head: await store.journal.head() })
for await (const line of createInterface({ input: process.stdin })) {
  const [command, argument] = line.split(" ")
  if (command === "push") {
    for (let left = Number(argument); left > 0; left -= 500) await say(store, Math.min(500, left))
  }
  if (command === "advance") await clock.advance(Number(argument))
  answer({ rssBytes: process.memoryUsage().rss, clients: serving.live.clients() })
}
await serving.close()
await app[Symbol.asyncDispose]()
