import { runCli } from "#show/cli"
import type { AttackedPlaces, ServeCall } from "#show/http"

/** Where the house is put together: the command line is handed the other ways in. */
const doors = {
  up: async (call: ServeCall) => (await import("#show/http")).up(call),
  open: async (call: ServeCall) => (await import("#show/http")).open(call),
  token: async (call: ServeCall) => (await import("#show/http")).token(call),
  attack: async (places: AttackedPlaces) => (await import("#show/http")).attack(places),
}

/** The rim: argv, environment and streams are read here and nowhere else. */
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
  doors,
})

function sink(stream: NodeJS.WriteStream) {
  return {
    write: (text: string) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    columns: stream.columns,
  }
}
