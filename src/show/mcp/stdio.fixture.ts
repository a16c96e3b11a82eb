import { createApp } from "#show/app"
import { serveMcpOnStdio } from "./stdio.ts"

/**
 * `qm mcp` without the command line, and with a guest that prints on standard output whenever it is
 * asked something: run by stdio.test.ts as a process of its own.
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
  signal: ending.signal,
})
