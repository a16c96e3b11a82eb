import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { DatabaseSync } from "node:sqlite"
import {
  atMost,
  type Bench,
  type BenchContext,
  interleave,
  makeRow,
  type Row,
  within,
} from "./frame.ts"
import { FILE, installBundle, makeEdited, makeKept, runToEnd, SESSION } from "./hooks/scene.ts"

const ROUNDS = 40
const EDITS = 10_000
const KEPT_FILES = 10_000

export const bench: Bench = {
  name: "hooks",
  about: `each hook as a process, level 5, a session of ${EDITS} edits; packages of ${KEPT_FILES} files`,
  async run(context) {
    const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-"))
    try {
      return [...(await measureAll(context, folder)), ...(await measurePackage(context, folder))]
    } finally {
      // The index daemon may still write while its folder is removed.
      rmSync(folder, { recursive: true, maxRetries: 10, retryDelay: 200 })
    }
  },
}

const EDIT = { tool_name: "Edit", tool_input: { file_path: FILE, new_string: "x" } }

const EVENTS = {
  boot: { hook_event_name: "SessionStart", source: "startup" },
  "before an edit": { hook_event_name: "PreToolUse", ...EDIT },
  "after an edit": { hook_event_name: "PostToolUse", ...EDIT, tool_response: {} },
  stop: { hook_event_name: "Stop" },
  loaded: { hook_event_name: "InstructionsLoaded", file_path: "CLAUDE.md" },
} as const

type EventName = keyof typeof EVENTS

const STATUS = {
  cost: { total_cost_usd: 1.2 },
  context_window: { context_window_size: 200_000, used_percentage: 42 },
} as const

/** Only the table that the status line reads. */
function makeStore(stateDirectory: string): void {
  using db = new DatabaseSync(path.join(stateDirectory, "store.db"))
  db.exec("PRAGMA journal_mode = WAL")
  db.exec("CREATE TABLE run_approvals (status TEXT, expires_at INTEGER)")
  db.exec("INSERT INTO run_approvals VALUES ('open', 9000000000000)")
}

async function measureAll(context: BenchContext, folder: string): Promise<readonly Row[]> {
  const { run, status } = await installBundle(folder)
  const root = await makeEdited(folder, EDITS)
  makeStore(path.join(root, ".git", "qm"))
  const foreign = path.join(folder, "foreign")
  mkdirSync(foreign)
  const names = Object.keys(EVENTS).filter(isEventName)
  const fire = (name: EventName, cwd: string) => run({ session_id: SESSION, cwd, ...EVENTS[name] })
  const times = await interleave(
    [
      { name: "bare", run: () => runToEnd(["-e", "0"], "") },
      { name: "elsewhere", run: () => fire("after an edit", foreign) },
      { name: "status line", run: () => status({ session_id: SESSION, cwd: root, ...STATUS }) },
      ...names.map((name) => ({ name, run: () => fire(name, root) })),
    ],
    { clock: context.clock, rounds: context.rounds ?? ROUNDS },
  )
  const bare = times("bare")
  const rowsOf = (what: string, name: EventName | "elsewhere"): readonly Row[] => {
    const { median, p95 } = times(name)
    const halfway = { unit: "ms", against: "node -e 0", floor: bare.median }
    const slowest = { unit: "ms", against: "node -e 0, p95", floor: bare.p95 }
    return [
      makeRow({ ...halfway, what, measured: median }),
      makeRow({ ...slowest, what: `${what}, p95`, measured: p95, bar: within(25, "ms") }),
    ]
  }
  const { median, p95 } = times("status line")
  const halfway = { unit: "ms", against: "node -e 0", floor: bare.median }
  const slowest = { unit: "ms", against: "node -e 0, p95", floor: bare.p95 }
  const statusRows = [
    makeRow({ ...halfway, what: "status line", measured: median }),
    makeRow({ ...slowest, what: "status line, p95", measured: p95, bar: within(50, "ms") }),
  ]
  return [
    ...statusRows,
    ...rowsOf("not enrolled", "elsewhere"),
    ...names.flatMap((name) => rowsOf(name, name)),
  ]
}

function isEventName(name: string): name is EventName {
  return name in EVENTS
}

/** One event's prompt produces the package that answers the other event. */
async function measurePackage(context: BenchContext, folder: string): Promise<readonly Row[]> {
  const { home, run } = await installBundle(folder)
  context.note("hooks: an index daemon of 10,000 files …")
  const files = KEPT_FILES
  await using repository = await makeKept({ folder, home, house: context.root, files })
  const base = { session_id: SESSION, cwd: repository.root }
  const ask = () => {
    const tool_input = { subagent_type: "x", prompt: "find where claims are taken and renewed" }
    return run({ ...base, hook_event_name: "PreToolUse", tool_name: "Agent", tool_input })
  }
  // One prompt ahead, because each of the two goes first in turn.
  await ask()
  const start = { ...base, hook_event_name: "SubagentStart", agent_id: "a", agent_type: "x" }
  const times = await interleave(
    [
      { name: "bare", run: () => runToEnd(["-e", "0"], "") },
      { name: "ask", run: ask },
      { name: "start", run: () => run(start) },
    ],
    { clock: context.clock, rounds: context.rounds ?? ROUNDS },
  )
  const p95 = { unit: "ms", against: "node -e 0, p95", floor: times("bare").p95 }
  return [
    makeRow({ ...p95, what: "before an agent, p95", measured: times("ask").p95 }),
    makeRow({
      ...p95,
      what: "package at its start, p95",
      measured: times("start").p95,
      bar: atMost(150, "ms"),
    }),
  ]
}
