import { flushCompileCache } from "node:module"
import { isAppError } from "#ground/base"
import { createApp } from "#show/app"
import { say } from "./store-journal.ts"

/**
 * Runs the swarm of many repositories at the same time: `node … <script> <root>…`. One kill of this
 * process interrupts all of them, each at another step.
 */
const [script = "", ...roots] = process.argv.slice(2)
const signal = new AbortController().signal

async function runSwarm(directory: string): Promise<void> {
  const app = await createApp({
    directory,
    environment: process.env,
    settings: [],
    writeLog: () => {},
  })
  try {
    await app.call("swarm.run", { script }, { signal })
  } catch (error) {
    // An earlier process finished it.
    if (!isAppError(error) || error.code !== "SWARM_NOTHING_TO_RUN") throw error
  }
}

const running = roots.map(runSwarm)
flushCompileCache()
await Promise.all(running)
say("done")
process.exit(0)
