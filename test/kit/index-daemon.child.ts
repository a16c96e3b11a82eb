import { createApp, keep } from "#show/app"

/** The index daemon like `qm keep`, without the command line. */
const [, , directory = ""] = process.argv
const environment = process.env
const stop = new AbortController()
process.once("SIGTERM", () => stop.abort())
const app = await createApp({ directory, environment, settings: [], writeLog: () => {} })
process.exitCode = await keep({ app, environment, signal: stop.signal })
await app[Symbol.asyncDispose]()
