import { createApp } from "#show/app"
import { serveMcpOnStdio } from "./stdio.ts"

/**
 * `qm mcp` without the command line, with an app that prints to stdout at each call;
 * stdio.test.ts runs it as a process.
 */
const [, , directory = ""] = process.argv
const ending = new AbortController()
process.once("SIGTERM", () => ending.abort())
await using app = await createApp({
  directory,
  environment: process.env,
  settings: [],
  writeLog: (line) => void process.stderr.write(`${line}\n`),
})
const call: typeof app.call = (name, input, context) => {
  process.stdout.write("a stray word\n")
  process.stdout.write(Buffer.from("stray bytes\n"), () => {})
  process.stdout.write("stray text\n", "utf8", () => {})
  return app.call(name, input, context)
}
process.exitCode = await serveMcpOnStdio({
  app: { ...app, call },
  input: {},
  environment: process.env,
  signal: ending.signal,
})
