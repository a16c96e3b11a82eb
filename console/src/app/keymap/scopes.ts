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
  | "sessions"
  | "session"
  | "cost"
  | "pack"
  | "folds"
  | "guard"
  | "board"
  | "ticket"
  | "swarm"
  | "pipelines"
  | "pipeline"
  | "recipes"
  | "skills"
  | "sources"
  | "events"
  | "settings"

export type KeyRow = {
  readonly id: string
  /**
   * Alternatives; `g e` is two key presses, `mod` is Command on Apple machines and Ctrl elsewhere.
   */
  readonly keys: readonly string[]
  readonly scope: Scope
  readonly label: string
  readonly operation?: string
}

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
  sessions: "list",
  session: "list",
  cost: "list",
  pack: "list",
  folds: "list",
  guard: "list",
  board: "list",
  ticket: "board",
  swarm: "list",
  pipelines: "list",
  pipeline: "list",
  recipes: "list",
  skills: "list",
  sources: "list",
  events: "list",
  settings: "everywhere",
}

type KeyTuple = readonly [id: string, keys: string, label: string, operation?: string]

/** Alternative keys are separated by " or ". */
export function defineKeymap(
  table: Readonly<Partial<Record<Scope, readonly KeyTuple[]>>>,
): readonly KeyRow[] {
  const rows = Object.entries(table).flatMap(([scope, tuples]) =>
    isScope(scope) ? tuples.map((it) => rowOf(it, scope)) : [],
  )
  const clash = findClash(rows)
  if (clash !== undefined) throw new Error(`invariant broken: ${clash}`)
  return rows
}

const isScope = (name: string): name is Scope => Object.hasOwn(PARENT, name)

function rowOf([id, keys, label, operation]: KeyTuple, scope: Scope): KeyRow {
  const row = { id, keys: keys.split(" or "), scope, label }
  return operation === undefined ? row : { ...row, operation }
}

export function findClash(rows: readonly KeyRow[]): string | undefined {
  for (const [i, row] of rows.entries()) {
    for (const other of rows.slice(i + 1)) {
      const keys = sharedKeys(row, other)
      if (keys !== undefined && areActiveTogether(row.scope, other.scope)) {
        return `${keys} means ${row.id} and ${other.id} in ${other.scope}`
      }
    }
  }
  return undefined
}

export function rowsActiveIn(rows: readonly KeyRow[], scope: Scope): readonly KeyRow[] {
  const chain = scopesOf(scope)
  return chain.flatMap((one) => rows.filter((row) => row.scope === one))
}

export function scopesOf(scope: Scope): readonly Scope[] {
  const parent = PARENT[scope]
  return parent === null ? [scope] : [scope, ...scopesOf(parent)]
}

function areActiveTogether(a: Scope, b: Scope): boolean {
  return scopesOf(a).includes(b) || scopesOf(b).includes(a)
}

function sharedKeys(a: KeyRow, b: KeyRow): string | undefined {
  return a.keys.find((mine) =>
    b.keys.some((its) => `${its} `.startsWith(`${mine} `) || `${mine} `.startsWith(`${its} `)),
  )
}
