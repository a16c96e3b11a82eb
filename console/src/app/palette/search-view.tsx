import { type KeyboardEvent, type Ref, useId, useMemo, useState } from "react"
import type { OperationEntry } from "../../data/client.ts"
import {
  CommandFoot,
  CommandInput,
  CommandLineBox,
  CommandMessage,
  EntryList,
  entryElementId,
} from "../../ui/command/command.tsx"
import { useKeyBindings } from "../../ui/keys/keys.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import type { NavPage } from "../places.ts"
import { buildEntries, type Entry, findEntries, joinGroups, recentIds } from "./entries.ts"
import { useFoundContent } from "./found-content.ts"
import { markMatches } from "./match.ts"

type SearchViewProps = {
  readonly initialQuery: string
  readonly place: NavPage | undefined
  readonly operations: readonly OperationEntry[]
  readonly isReadOnly: boolean
  onChoose(entry: Entry): void
  readonly ref: Ref<HTMLInputElement>
}

export function SearchView(props: SearchViewProps) {
  const { place, operations, isReadOnly, onChoose } = props
  const [query, setQuery] = useState(props.initialQuery)
  const [selectedId, setSelectedId] = useState<string | null>(null)
  const [actionsOf, setActionsOf] = useState<Entry | null>(null)
  const listId = useId()
  const { isBound } = useKeyBindings()
  const scope = place?.scope ?? "everywhere"
  const entries = useMemo(
    () => buildEntries({ operations, scope, isReadOnly, isBound }),
    [operations, scope, isReadOnly, isBound],
  )
  const recent = useMemo(() => recentIds(), [])
  const actions = useActions(actionsOf, onChoose)
  const own = useMemo(() => findEntries(entries, query, recent), [entries, query, recent])
  const content = useFoundContent(query, { operations, isReadOnly })
  const results = joinGroups(own, content.groups, query)
  const flat = results.flatMap((it) => it.entries)
  const selected = flat.find((it) => it.id === selectedId) ?? flat[0]
  const shownIds = actionsOf === null ? flat.map((it) => it.id) : actions.map((it) => it.id)
  const activeId = shownIds.find((it) => it === selectedId) ?? shownIds[0]

  const pick = (id: string) => {
    const action = actions.find((it) => it.id === id)
    if (actionsOf !== null) action?.act()
    else onChooseById(flat, id, onChoose)
  }
  const move = (by: 1 | -1) => {
    const index = shownIds.findIndex((it) => it === activeId)
    const next = (index + by + shownIds.length) % Math.max(1, shownIds.length)
    setSelectedId(shownIds[next] ?? null)
  }
  const showActions = () => (selected === undefined ? undefined : setActionsOf(selected))
  const press = (event: KeyboardEvent) => {
    const isMod = event.metaKey || event.ctrlKey
    if (event.key === "ArrowDown") move(1)
    else if (event.key === "ArrowUp") move(-1)
    else if (event.key === "Enter" && activeId !== undefined) pick(activeId)
    else if (isMod && event.key === ".") showActions()
    else if (event.key === "Escape" && actionsOf !== null) setActionsOf(null)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const groups =
    actionsOf === null
      ? results.map(({ group, entries: ofGroup }) => ({
          name: group,
          entries: ofGroup.map((it) => ({ ...it, label: markMatches(it.label, query) })),
        }))
      : [{ name: actionsOf.label, entries: actions.map(asShown) }]
  return (
    <>
      <CommandLineBox icon="search" {...(place === undefined ? {} : { tag: `in ${place.label}` })}>
        <CommandInput
          ref={props.ref}
          label="Search or run"
          placeholder="Search or run"
          value={query}
          listId={shownIds.length === 0 ? undefined : listId}
          activeId={entryElementId(listId, activeId)}
          onChange={(text) => {
            setQuery(text)
            setSelectedId(null)
            setActionsOf(null)
          }}
          onKeyDown={press}
        />
      </CommandLineBox>
      {shownIds.length === 0 ? (
        <CommandMessage hint="The search covers pages, operations, runs, sessions, files, symbols, memories and settings.">
          {content.isSearching ? "Searching" : `No result for ${query.trim()}.`}
        </CommandMessage>
      ) : (
        <EntryList
          id={listId}
          label="Results"
          groups={groups}
          selectedId={activeId}
          onHover={setSelectedId}
          onPick={pick}
        />
      )}
      <CommandFoot
        description={
          content.failed.length === 0 ? "" : `Not searched: ${content.failed.join(", ")}`
        }
        actions={
          selected === undefined
            ? []
            : [
                { label: selected.verb, keys: "Enter", onPress: () => onChoose(selected) },
                { label: "All actions", keys: "mod+.", onPress: showActions },
              ]
        }
      />
    </>
  )
}

type Action = { readonly id: string; readonly label: string; act(): void }

function useActions(entry: Entry | null, onChoose: (entry: Entry) => void): readonly Action[] {
  const toast = useToast()
  if (entry === null) return []
  const copy = (text: string) => {
    navigator.clipboard.writeText(text).then(
      () => toast.show({ text: `Copied ${text}` }),
      () => toast.show({ text: "The browser denied access to the clipboard" }),
    )
  }
  const { action } = entry
  const first = { id: "act", label: entry.verb, act: () => onChoose(entry) }
  switch (action.kind) {
    case "operation": {
      const { name, method, path } = action.operation
      return [
        first,
        { id: "copy name", label: "Copy name", act: () => copy(name) },
        { id: "copy path", label: "Copy the request", act: () => copy(`${method} ${path}`) },
      ]
    }
    case "call":
      return [first]
    case "place": {
      const address = `${window.location.origin}${action.href}`
      return [first, { id: "copy link", label: "Copy link", act: () => copy(address) }]
    }
    case "key":
    case "look":
      return [first]
    default:
      return action satisfies never
  }
}

function asShown({ id, label }: Action) {
  const icon = id === "act" ? ("chevron-right" as const) : ("copy" as const)
  return { id, icon, label: [{ text: label, isMatch: false }] }
}

function onChooseById(
  entries: readonly Entry[],
  id: string,
  onChoose: (entry: Entry) => void,
): void {
  const entry = entries.find((it) => it.id === id)
  if (entry !== undefined) onChoose(entry)
}
