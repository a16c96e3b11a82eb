import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import {
  atMost,
  atMostTimes,
  type Bench,
  type BenchContext,
  interleave,
  makeRow,
  type Row,
  type Samples,
  within,
} from "./frame.ts"

const ROUNDS = 40
const PAYLOAD = '{"hook_event_name":"PostToolUse","tool_name":"Edit"}'

export const bench: Bench = {
  name: "start-up",
  about: "from the start of a process to its end, beside the bare runtime",
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-"))
    try {
      return await measure(context, folder)
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

async function measure(context: BenchContext, folder: string): Promise<readonly Row[]> {
  const emptyFile = path.join(folder, "empty.mjs")
  writeFileSync(emptyFile, "")
  const qm = path.join(context.root, "bin/qm")
  const hook = path.join(context.root, "bin/qm-hook")
  const times = await interleave(
    [
      { name: "bare", run: () => runToEnd(process.execPath, ["-e", "0"]) },
      { name: "empty", run: () => runToEnd(process.execPath, [emptyFile]) },
      { name: "help", run: () => runToEnd(qm, ["--help"]) },
      { name: "hook", run: () => runToEnd(hook, []) },
    ],
    { clock: context.clock, rounds: context.rounds ?? ROUNDS },
  )
  return rowsOf({
    bare: times("bare"),
    empty: times("empty"),
    help: times("help"),
    hook: times("hook"),
  })
}

function rowsOf(times: Readonly<Record<"bare" | "empty" | "help" | "hook", Samples>>) {
  const { bare, empty, help, hook } = times
  const median = { unit: "ms", against: "node -e 0", floor: bare.median }
  const p95 = { unit: "ms", against: "node -e 0, p95", floor: bare.p95 }
  return [
    makeRow({ ...median, what: "an empty file", measured: empty.median }),
    makeRow({ ...median, what: "qm --help", measured: help.median, bar: atMostTimes(3) }),
    makeRow({ ...p95, what: "qm --help, p95", measured: help.p95, bar: atMostTimes(3) }),
    makeRow({ ...p95, what: "qm --help, p95", measured: help.p95, bar: atMost(120, "ms") }),
    makeRow({ ...median, what: "an empty hook", measured: hook.median, bar: within(25, "ms") }),
    makeRow({ ...p95, what: "an empty hook, p95", measured: hook.p95, bar: within(25, "ms") }),
  ]
}

function runToEnd(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["pipe", "ignore", "inherit"] })
    child.stdin.on("error", () => {})
    child.stdin.end(PAYLOAD)
    child.on("error", reject)
    child.on("exit", (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${path.basename(program)} ${args.join(" ")} ended with ${code}`))
    })
  })
}
