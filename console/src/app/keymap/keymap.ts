/**
 * Every key of the console. Help sheet, tips, buttons and palette read this table, so a key cannot
 * be undocumented.
 */
export type Scope =
  | "everywhere"
  | "list"
  | "work"
  | "now"
  | "runs"
  | "run"
  | "gateway"
  | "capture"
  | "map"
  | "knowledge"
  | "memory"
  | "decisions"
  | "sessions"
  | "pack"
  | "folds"
  | "guard"
  | "pipelines"
  | "pipeline"
  | "agents"
  | "events"
  | "settings"

export type KeyRow = {
  readonly id: string
  /** Alternatives; `g e` is two presses, `mod` is command on Apple machines and ctrl elsewhere. */
  readonly keys: readonly string[]
  readonly scope: Scope
  /** A verb, as a button would say it. */
  readonly label: string
  /** The operation it runs, if it is one. */
  readonly operation?: string
}

/** A page hears its own keys, those of its list, and those that are heard everywhere. */
const PARENT: Readonly<Record<Scope, Scope | null>> = {
  everywhere: null,
  list: "everywhere",
  work: "list",
  now: "work",
  runs: "work",
  run: "work",
  gateway: "list",
  capture: "list",
  map: "list",
  knowledge: "list",
  memory: "list",
  decisions: "list",
  sessions: "list",
  pack: "list",
  folds: "list",
  guard: "list",
  pipelines: "list",
  pipeline: "list",
  agents: "list",
  events: "list",
  settings: "everywhere",
}

export const KEYMAP = defineKeymap([
  { id: "palette.open", keys: ["mod+k"], scope: "everywhere", label: "Search or run" },
  { id: "help.open", keys: ["?"], scope: "everywhere", label: "Show the keys of this page" },
  { id: "go.now", keys: ["g n"], scope: "everywhere", label: "Go to Now" },
  { id: "go.capture", keys: ["g c"], scope: "everywhere", label: "Go to Capture" },
  { id: "go.map", keys: ["g m"], scope: "everywhere", label: "Go to Map" },
  { id: "go.knowledge", keys: ["g k"], scope: "everywhere", label: "Go to Knowledge" },
  { id: "go.memory", keys: ["g y"], scope: "everywhere", label: "Go to Memory" },
  { id: "go.decisions", keys: ["g d"], scope: "everywhere", label: "Go to Decisions" },
  { id: "go.sessions", keys: ["g o"], scope: "everywhere", label: "Go to Sessions" },
  { id: "go.guard", keys: ["g u"], scope: "everywhere", label: "Go to Guard" },
  { id: "go.pack", keys: ["g p"], scope: "everywhere", label: "Go to Pack" },
  { id: "go.folds", keys: ["g f"], scope: "everywhere", label: "Go to Folds" },
  { id: "go.runs", keys: ["g r"], scope: "everywhere", label: "Go to Runs" },
  { id: "go.pipelines", keys: ["g l"], scope: "everywhere", label: "Go to Pipelines" },
  { id: "go.agents", keys: ["g a"], scope: "everywhere", label: "Go to Agents" },
  { id: "go.events", keys: ["g e"], scope: "everywhere", label: "Go to Events" },
  { id: "go.settings", keys: ["g s"], scope: "everywhere", label: "Go to Settings" },
  { id: "filter", keys: ["/"], scope: "everywhere", label: "Filter" },
  { id: "panel.left", keys: ["["], scope: "everywhere", label: "Hide or show the sidebar" },
  { id: "panel.right", keys: ["]", "i"], scope: "everywhere", label: "Hide or show the panel" },
  { id: "undo", keys: ["mod+z"], scope: "everywhere", label: "Undo the last change" },
  { id: "leave", keys: ["Escape"], scope: "everywhere", label: "Leave one layer" },
  { id: "list.next", keys: ["j", "ArrowDown"], scope: "list", label: "Next" },
  { id: "list.previous", keys: ["k", "ArrowUp"], scope: "list", label: "Previous" },
  { id: "list.first", keys: ["Home"], scope: "list", label: "First" },
  { id: "list.last", keys: ["End"], scope: "list", label: "Last" },
  { id: "approval.allow", keys: ["a"], scope: "work", label: "Allow once" },
  { id: "approval.deny", keys: ["d"], scope: "work", label: "Deny" },
  { id: "runs.new", keys: ["c"], scope: "work", label: "New run", operation: "agents.start" },
  { id: "now.open", keys: ["Enter"], scope: "now", label: "Open the run" },
  { id: "runs.open", keys: ["Enter"], scope: "runs", label: "Open the run" },
  { id: "runs.peek", keys: ["Space"], scope: "runs", label: "Look at it here" },
  { id: "runs.select", keys: ["x"], scope: "runs", label: "Select or not" },
  { id: "runs.rename", keys: ["e"], scope: "runs", label: "Rename" },
  { id: "runs.actions", keys: ["."], scope: "runs", label: "Actions on the selection" },
  { id: "runs.view", keys: ["v"], scope: "runs", label: "Runs, approvals or permissions" },
  { id: "run.actions", keys: ["."], scope: "run", label: "Actions on the run" },
  { id: "run.open", keys: ["Enter"], scope: "run", label: "Open or close" },
  { id: "run.expand", keys: ["e"], scope: "run", label: "Open all within" },
  { id: "run.raw", keys: ["r"], scope: "run", label: "Show the raw event" },
  { id: "run.link", keys: ["y"], scope: "run", label: "Copy a link to it" },
  { id: "run.copy", keys: ["Y"], scope: "run", label: "Copy its text" },
  { id: "run.first", keys: ["g g"], scope: "run", label: "To the first message" },
  { id: "run.last", keys: ["G"], scope: "run", label: "To the latest message" },
  { id: "run.handoff", keys: ["h"], scope: "run", label: "Hand off", operation: "agents.handoff" },
  { id: "run.compose", keys: ["m"], scope: "run", label: "Write the next turn" },
  { id: "run.gateway", keys: ["w"], scope: "run", label: "Its requests on the wire" },
  { id: "gateway.run", keys: ["w"], scope: "gateway", label: "Back to the transcript" },
  { id: "gateway.open", keys: ["Enter"], scope: "gateway", label: "Open or close the request" },
  { id: "gateway.who", keys: ["v"], scope: "gateway", label: "All, main or sub-agents" },
  { id: "gateway.tab", keys: ["t"], scope: "gateway", label: "Next tab" },
  { id: "gateway.copy", keys: ["y"], scope: "gateway", label: "Copy what is shown" },
  {
    id: "gateway.delete",
    keys: ["x"],
    scope: "gateway",
    label: "Delete what was recorded",
    operation: "gateway.delete",
  },
  { id: "gateway.choose", keys: ["e"], scope: "gateway", label: "Choose what was carried" },
  { id: "now.check", keys: ["r"], scope: "now", label: "Check again", operation: "doctor.run" },
  {
    id: "capture.take",
    keys: ["r"],
    scope: "capture",
    label: "Capture again",
    operation: "capture.take",
  },
  { id: "capture.ask", keys: ["a"], scope: "capture", label: "Ask the host" },
  {
    id: "capture.diff",
    keys: ["d"],
    scope: "capture",
    label: "Compare two captures",
    operation: "capture.diff",
  },
  { id: "capture.open", keys: ["Enter"], scope: "capture", label: "Open the text or the group" },
  { id: "capture.tab", keys: ["t"], scope: "capture", label: "Next tab" },
  { id: "capture.view", keys: ["v"], scope: "capture", label: "Text, diff or raw" },
  { id: "capture.copy", keys: ["y"], scope: "capture", label: "Copy what is shown" },
  { id: "capture.host", keys: ["h"], scope: "capture", label: "Choose the host" },
  { id: "capture.history", keys: ["e"], scope: "capture", label: "Choose a capture" },
  { id: "map.scan", keys: ["r"], scope: "map", label: "Scan", operation: "map.scan" },
  { id: "map.open", keys: ["Enter"], scope: "map", label: "Open or close" },
  { id: "map.unfold", keys: ["ArrowRight", "l"], scope: "map", label: "Open the folder" },
  {
    id: "map.fold",
    keys: ["ArrowLeft", "h"],
    scope: "map",
    label: "Close it, or to the one above",
  },
  { id: "map.by", keys: ["v"], scope: "map", label: "Find by words or by path" },
  { id: "map.tab", keys: ["t"], scope: "map", label: "Next tab" },
  { id: "map.hops", keys: ["x"], scope: "map", label: "One hop or two" },
  { id: "map.copy", keys: ["y"], scope: "map", label: "Copy its name" },
  { id: "memory.open", keys: ["Enter"], scope: "memory", label: "Open" },
  { id: "memory.new", keys: ["c"], scope: "memory", label: "Add memory" },
  { id: "memory.state", keys: ["t"], scope: "memory", label: "Next state" },
  {
    id: "memory.confirm",
    keys: ["a"],
    scope: "memory",
    label: "Confirm",
    operation: "memory.confirm",
  },
  { id: "memory.helpful", keys: ["u"], scope: "memory", label: "It was helpful" },
  { id: "memory.unhelpful", keys: ["d"], scope: "memory", label: "It was not helpful" },
  {
    id: "memory.forget",
    keys: ["x"],
    scope: "memory",
    label: "Forget",
    operation: "memory.forget",
  },
  { id: "memory.copy", keys: ["y"], scope: "memory", label: "Copy its text" },
  { id: "decisions.open", keys: ["Enter"], scope: "decisions", label: "Open" },
  { id: "decisions.new", keys: ["c"], scope: "decisions", label: "Add decision" },
  { id: "decisions.copy", keys: ["y"], scope: "decisions", label: "Copy its text" },
  { id: "sessions.open", keys: ["Enter"], scope: "sessions", label: "Open" },
  { id: "sessions.tab", keys: ["t"], scope: "sessions", label: "Recent, written down or claims" },
  {
    id: "sessions.release",
    keys: ["x"],
    scope: "sessions",
    label: "Release the claim",
    operation: "claim.release",
  },
  { id: "sessions.copy", keys: ["y"], scope: "sessions", label: "Copy its name" },
  { id: "guard.open", keys: ["Enter"], scope: "guard", label: "Open" },
  { id: "guard.verdict", keys: ["v"], scope: "guard", label: "Next verdict" },
  { id: "guard.try", keys: ["t"], scope: "guard", label: "Try a rule", operation: "guard.try" },
  { id: "guard.copy", keys: ["y"], scope: "guard", label: "Copy what was said" },
  { id: "folds.open", keys: ["Enter"], scope: "folds", label: "Open" },
  { id: "folds.unfold", keys: ["ArrowRight", "l"], scope: "folds", label: "Show what is below it" },
  {
    id: "folds.fold",
    keys: ["ArrowLeft", "h"],
    scope: "folds",
    label: "Close it, or to the one above",
  },
  { id: "folds.all", keys: ["v"], scope: "folds", label: "The last hour or all" },
  { id: "folds.tab", keys: ["t"], scope: "folds", label: "Next tab" },
  {
    id: "folds.restore",
    keys: ["u"],
    scope: "folds",
    label: "Restore",
    operation: "fold.restore",
  },
  { id: "folds.refresh", keys: ["r"], scope: "folds", label: "Count again" },
  { id: "folds.copy", keys: ["y"], scope: "folds", label: "Copy its handle" },
  { id: "pack.pin", keys: ["Space"], scope: "pack", label: "Pin or unpin" },
  { id: "pack.drop", keys: ["x"], scope: "pack", label: "Drop or take back" },
  { id: "pack.open", keys: ["Enter"], scope: "pack", label: "Open in the preview" },
  { id: "pack.up", keys: ["alt+ArrowUp"], scope: "pack", label: "Move up" },
  { id: "pack.down", keys: ["alt+ArrowDown"], scope: "pack", label: "Move down" },
  { id: "pack.full", keys: ["1"], scope: "pack", label: "The whole file" },
  { id: "pack.symbols", keys: ["2"], scope: "pack", label: "Its best symbols" },
  { id: "pack.signatures", keys: ["3"], scope: "pack", label: "Its signatures" },
  { id: "pack.path", keys: ["4"], scope: "pack", label: "Its path" },
  { id: "pack.pane", keys: ["v"], scope: "pack", label: "Candidates or chosen" },
  { id: "pack.tab", keys: ["t"], scope: "pack", label: "Next format" },
  { id: "pack.task", keys: ["e"], scope: "pack", label: "Change the task" },
  { id: "pack.budget", keys: ["b"], scope: "pack", label: "Change the budget" },
  { id: "pack.new", keys: ["c"], scope: "pack", label: "New package" },
  {
    id: "pack.compare",
    keys: ["d"],
    scope: "pack",
    label: "Compare two packages",
    operation: "pack.diff",
  },
  { id: "pack.copy", keys: ["y"], scope: "pack", label: "Copy the text" },
  { id: "pack.keep", keys: ["s"], scope: "pack", label: "Keep", operation: "pack.build" },
  { id: "pack.run", keys: ["mod+Enter"], scope: "pack", label: "Run with this" },
  { id: "pipelines.open", keys: ["Enter"], scope: "pipelines", label: "Open the run" },
  {
    id: "pipelines.new",
    keys: ["c"],
    scope: "pipelines",
    label: "New run",
    operation: "pipeline.run",
  },
  { id: "pipelines.status", keys: ["v"], scope: "pipelines", label: "Next status" },
  { id: "pipeline.open", keys: ["Enter"], scope: "pipeline", label: "Open or close the stage" },
  { id: "pipeline.first", keys: ["1"], scope: "pipeline", label: "First answer to the pause" },
  { id: "pipeline.second", keys: ["2"], scope: "pipeline", label: "Second answer to the pause" },
  { id: "pipeline.third", keys: ["3"], scope: "pipeline", label: "Third answer to the pause" },
  {
    id: "pipeline.compare",
    keys: ["d"],
    scope: "pipeline",
    label: "Compare with another run",
    operation: "pipeline.compare",
  },
  {
    id: "pipeline.rerun",
    keys: ["r"],
    scope: "pipeline",
    label: "Re-run from here",
    operation: "pipeline.rerun",
  },
  { id: "pipeline.compose", keys: ["m"], scope: "pipeline", label: "Write a message" },
  { id: "pipeline.copy", keys: ["y"], scope: "pipeline", label: "Copy the document" },
  { id: "agents.open", keys: ["Enter"], scope: "agents", label: "Open" },
  { id: "agents.start", keys: ["c"], scope: "agents", label: "Start it" },
  { id: "agents.tab", keys: ["t"], scope: "agents", label: "Next tab" },
  { id: "knowledge.open", keys: ["Enter"], scope: "knowledge", label: "Open" },
  {
    id: "knowledge.add",
    keys: ["c"],
    scope: "knowledge",
    label: "Add a folder",
    operation: "kb.add",
  },
  { id: "knowledge.hops", keys: ["x"], scope: "knowledge", label: "Follow references or not" },
  { id: "knowledge.copy", keys: ["y"], scope: "knowledge", label: "Copy its citation" },
  { id: "events.pause", keys: ["p"], scope: "events", label: "Pause or follow" },
  { id: "events.copy", keys: ["y"], scope: "events", label: "Copy the event" },
  { id: "events.view", keys: ["v"], scope: "events", label: "Fields or raw" },
  { id: "settings.layer", keys: ["l"], scope: "settings", label: "Change the layer" },
])

/** Refuses a table in which one key would have two meanings at the same time. */
export function defineKeymap(rows: readonly KeyRow[]): readonly KeyRow[] {
  const clash = findClash(rows)
  if (clash !== undefined) throw new Error(`invariant broken: ${clash}`)
  return rows
}

export function findClash(rows: readonly KeyRow[]): string | undefined {
  for (const [i, row] of rows.entries()) {
    for (const other of rows.slice(i + 1)) {
      const keys = sharedKeys(row, other)
      if (keys !== undefined && areHeardTogether(row.scope, other.scope)) {
        return `${keys} means ${row.id} and ${other.id} in ${other.scope}`
      }
    }
  }
  return undefined
}

/** The rows that are heard in a scope, the nearest first. */
export function rowsHeardIn(rows: readonly KeyRow[], scope: Scope): readonly KeyRow[] {
  const chain = scopesOf(scope)
  return chain.flatMap((one) => rows.filter((row) => row.scope === one))
}

/** A scope and those around it. */
export function scopesOf(scope: Scope): readonly Scope[] {
  const parent = PARENT[scope]
  return parent === null ? [scope] : [scope, ...scopesOf(parent)]
}

function areHeardTogether(a: Scope, b: Scope): boolean {
  return scopesOf(a).includes(b) || scopesOf(b).includes(a)
}

/** The same keys, or one begins the other: then the longer could never be reached. */
function sharedKeys(a: KeyRow, b: KeyRow): string | undefined {
  return a.keys.find((mine) =>
    b.keys.some((its) => `${its} `.startsWith(`${mine} `) || `${mine} `.startsWith(`${its} `)),
  )
}
