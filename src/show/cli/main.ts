import { runCli } from "./cli.ts"

/** The rim: argv, environment and streams are read here and nowhere else in this room. */
const interrupted = new AbortController()
for (const name of ["SIGINT", "SIGTERM"] as const) {
  // Once: a second Ctrl-C ends the process at once, as a person in a hurry expects.
  process.once(name, () => interrupted.abort())
}
// A closed pipe (`qm events | head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0)
  throw error
})

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  environment: process.env,
  directory: process.cwd(),
  stdout: sink(process.stdout),
  stderr: sink(process.stderr),
  signal: interrupted.signal,
})

function sink(stream: NodeJS.WriteStream) {
  return {
    write: (text: string) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    columns: stream.columns,
  }
}
