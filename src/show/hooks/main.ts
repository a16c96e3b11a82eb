import { runHook } from "./hooks.ts"

/**
 * The rim of a hook process. It ends with 0 whatever happens, and it ends itself: a stdin that
 * stays open or a judge that still thinks must not keep the work waiting.
 */
const isDebugging = Boolean(process.env.QM_HOOK_DEBUG)
const debug = (sentence: string) => {
  if (isDebugging) process.stderr.write(`qm-hook: ${sentence}\n`)
}
const endAfter = (error: unknown) => {
  debug(String(error))
  process.exit(0)
}
// A rejection that nobody handles arrives here, too.
process.on("uncaughtException", endAfter)

await runHook({
  input: process.stdin,
  judges: [],
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      signal.addEventListener("abort", () => clearTimeout(timer), { once: true })
    }),
  write: (line) => new Promise((resolve) => void process.stdout.write(line, () => resolve())),
  debug,
})
process.exit(0)
