import type { OperationEntry } from "../../data/client.ts"
import { paths } from "../../data/paths.ts"
import type { IconName } from "../../ui/icon/icon.tsx"
import { recall, remember } from "../../ui/remember.ts"
import { KEYMAP } from "../keymap/keymap.ts"
import { type KeyRow, rowsActiveIn, type Scope } from "../keymap/scopes.ts"
import { PLACES } from "../places.ts"
import { DENSITIES, MODES } from "../theme/appearance.ts"
import { kindOf, THEMES } from "../theme/themes.ts"
import { score } from "./match.ts"

type EntryAction =
  | { readonly kind: "operation"; readonly operation: OperationEntry }
  | { readonly kind: "call"; readonly operation: OperationEntry; readonly input: object }
  | { readonly kind: "place"; readonly href: string }
  | { readonly kind: "key"; readonly keyId: string }
  | {
      readonly kind: "look"
      readonly change: "mode" | "density" | "light" | "dark"
      readonly to: string
    }

export type Entry = {
  readonly id: string
  readonly group: GroupName
  readonly icon: IconName
  readonly label: string
  /** A name, key or path, in the code font. */
  readonly isLabelCode?: boolean
  readonly detail?: string
  readonly words?: string
  readonly keys?: string
  readonly verb: string
  readonly action: EntryAction
}

const GROUPS = ["Recent", "On this page", "Go to", "Operations", "Console", "Appearance"] as const
type ContentGroupName =
  | "Runs"
  | "Sessions"
  | "Files"
  | "Symbols"
  | "Memories"
  | "Tickets"
  | "Settings"
  | "Repositories"
type GroupName = (typeof GROUPS)[number] | ContentGroupName

export type Context = {
  readonly operations: readonly OperationEntry[]
  readonly scope: Scope
  readonly isReadOnly: boolean
  isBound(keyId: string): boolean
}

export function buildEntries({
  operations,
  scope,
  isReadOnly,
  isBound,
}: Context): readonly Entry[] {
  const runnable = operations.filter((it) => !isReadOnly || it.effect === "read")
  return [
    ...rowsActiveIn(KEYMAP, scope)
      .filter((it) => isBound(it.id))
      .flatMap(pageAction),
    ...runnable.map((it) => operationEntry(it, isBound)),
    ...PLACES.map(
      (it): Entry => ({
        id: `go ${it.id}`,
        group: "Go to",
        icon: it.icon,
        label: it.label,
        detail: "page",
        verb: "Open",
        ...keysOf(`go.${it.id}`),
        action: { kind: "place", href: it.href },
      }),
    ),
    ...SHORTCUTS.filter((it) => !isBound(it.keyId) && !(isReadOnly && it.writes)).map(
      shortcutEntry,
    ),
    ...lookEntries(),
  ]
}

const SHORTCUTS = [
  {
    keyId: "runs.new",
    label: "New run",
    room: "runs",
    href: paths.runs({ beside: "new" }),
    icon: "plus",
    writes: true,
  },
  {
    keyId: "pipelines.new",
    label: "New pipeline run",
    room: "pipelines",
    href: paths.pipelines({ add: true }),
    icon: "plus",
    writes: true,
  },
  {
    keyId: "knowledge.add",
    label: "Add a folder of documents",
    room: "knowledge",
    href: paths.knowledge({ add: true }),
    icon: "book",
    writes: true,
  },
  {
    keyId: "",
    label: "Approvals",
    room: "runs",
    href: paths.runs({ view: "approvals" }),
    icon: "ask",
    writes: false,
  },
  {
    keyId: "",
    label: "Permissions",
    room: "runs",
    href: paths.runs({ view: "permissions" }),
    icon: "lock",
    writes: false,
  },
  {
    keyId: "",
    label: "Claims",
    room: "sessions",
    href: paths.sessions({ tab: "claims" }),
    icon: "pulse",
    writes: false,
  },
  {
    keyId: "guard.try",
    label: "Test a rule on past events",
    room: "guard",
    href: paths.guard({ trying: true }),
    icon: "shield",
    writes: false,
  },
] as const

function shortcutEntry({ label, room, href, icon }: (typeof SHORTCUTS)[number]): Entry {
  const action = { kind: "place", href } as const
  return { id: `go ${label}`, group: "Go to", icon, label, detail: room, verb: "Open", action }
}

export type EntryGroup = { readonly group: GroupName; readonly entries: readonly Entry[] }

const MOST_PER_GROUP = 8

export function findEntries(
  entries: readonly Entry[],
  query: string,
  recent: readonly string[],
): readonly EntryGroup[] {
  const isAsking = query.trim() !== ""
  const scored = entries
    .map((entry) => ({ entry, points: score(entry, query) }))
    .filter((it) => it.points > 0)
    .toSorted((a, b) => b.points - a.points)
    .map((it) => it.entry)
  const ofRecent = isAsking ? [] : recent.flatMap((id) => scored.find((it) => it.id === id) ?? [])
  const groups = GROUPS.map((group) => {
    const rest = scored.filter((it) => it.group === group && !ofRecent.includes(it))
    return { group, entries: (group === "Recent" ? ofRecent : rest).slice(0, MOST_PER_GROUP) }
  }).filter((it) => it.entries.length > 0)
  if (!isAsking) return groups.filter((it) => it.group !== "Appearance")
  // The group with the best match comes first, so that Enter runs it.
  return groups.toSorted((a, b) => bestIn(b, query) - bestIn(a, query))
}

/** A word starts the name, or a word of it. */
const STRONG_POINTS = 60

/**
 * Pages and operations that are clearly meant come first, then the repository's content, named
 * like the query before the rest, then other matches. Content arrives later and so never moves a clear first result.
 */
export function joinGroups(
  own: readonly EntryGroup[],
  content: readonly EntryGroup[],
  query: string,
): readonly EntryGroup[] {
  const words = query.split(/\s+/).filter(Boolean).length
  const isStrong = (it: EntryGroup) => bestIn(it, query) >= STRONG_POINTS * words
  const isNamed = (it: EntryGroup) => bestIn(it, query) > 0
  return [
    ...own.filter(isStrong),
    ...content.filter(isNamed),
    // Found by its text, not by its name.
    ...content.filter((it) => !isNamed(it)),
    ...own.filter((it) => !isStrong(it)),
  ]
}

function bestIn({ entries }: EntryGroup, query: string): number {
  return Math.max(...entries.map((it) => score(it, query)))
}

/** Keys that do nothing in the palette: it is already open, and Escape closes layers. */
const NOT_ACTIONS = /^(palette|go|list|leave|filter)/

function pageAction({ id, label, keys, scope }: KeyRow): readonly Entry[] {
  if (NOT_ACTIONS.test(id)) return []
  const entry: Entry = {
    id: `key ${id}`,
    group: scope === "everywhere" ? "Console" : "On this page",
    icon: "chevron-right",
    label,
    verb: "Run",
    action: { kind: "key", keyId: id },
  }
  return [keys[0] === undefined ? entry : { ...entry, keys: keys[0] }]
}

function operationEntry(operation: OperationEntry, isBound: Context["isBound"]): Entry {
  const row = KEYMAP.find((it) => it.operation === operation.name && isBound(it.id))
  return {
    id: `run ${operation.name}`,
    group: "Operations",
    icon: operation.effect === "write" ? "play" : "terminal",
    label: operation.name,
    isLabelCode: true,
    detail: operation.summary,
    words: operation.summary,
    verb: "Run",
    ...(row?.keys[0] === undefined ? {} : { keys: row.keys[0] }),
    action: { kind: "operation", operation },
  }
}

function lookEntries(): readonly Entry[] {
  const entry = (
    change: "mode" | "density" | "light" | "dark",
    to: string,
    description: string,
  ): Entry => ({
    id: `look ${change} ${to}`,
    group: "Appearance",
    icon: change === "density" ? "density" : "theme",
    label: description,
    verb: "Use",
    words: "theme appearance density colours",
    action: { kind: "look", change, to },
  })
  return [
    ...MODES.map((it) => entry("mode", it, `Theme: ${it}`)),
    ...DENSITIES.map((it) => entry("density", it, `Density: ${it}`)),
    ...THEMES.map((it) => entry(kindOf(it), it.name, `Theme: ${it.name}, ${kindOf(it)}`)),
  ]
}

function keysOf(id: string): { keys?: string } {
  const keys = KEYMAP.find((it) => it.id === id)?.keys[0]
  return keys === undefined ? {} : { keys }
}

const MOST_RECENT = 5

export function recentIds(): readonly string[] {
  return (recall("recent") ?? "").split("\n").filter(Boolean)
}

/** Found content is not listed again: it may be gone when the palette opens the next time. */
export function noteRecent({ id, group }: Pick<Entry, "group" | "id">): void {
  if (!GROUPS.some((it) => it === group)) return
  const ids = [id, ...recentIds().filter((it) => it !== id)]
  remember("recent", ids.slice(0, MOST_RECENT).join("\n"))
}
