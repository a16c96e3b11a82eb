import { useMutation } from "@tanstack/react-query"
import { useMemo } from "react"
import { toWireError } from "../../base/errors.ts"
import {
  formatClockFine,
  formatMoment,
  formatSeconds,
  formatShown,
  formatWhenFine,
  nameDay,
} from "../../base/format.ts"
import { formatExact, type JournalEntry } from "../../contract.ts"
import { type Journal, matchesText, olderThan } from "../../data/live/journal.ts"
import type { PageProps } from "../../data/params.ts"
import type { EventsParams } from "../../data/paths.ts"
import { useJournal } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Code } from "../../ui/code/code.tsx"
import { FacetHead, FilterHead, useListRef } from "../../ui/collection/collection.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import {
  Cell,
  Group,
  NarrowLine,
  Row,
  RowNote,
  RowSkeleton,
  TextCell,
} from "../../ui/list/list.tsx"
import { VirtualList } from "../../ui/list/virtual-list.tsx"
import { Block, DetailHead, Pane, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Split } from "../../ui/split/split.tsx"
import { Tabs } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useToast } from "../../ui/toast/toast.tsx"
import { ValueTree } from "../../ui/tree/tree.tsx"

type EventsPageProps = PageProps<EventsParams>

const COLUMNS = {
  full: "96px 52px minmax(140px, 240px) minmax(0, 1fr)",
  tight: "96px minmax(120px, 200px) minmax(0, 1fr)",
  narrow: "minmax(0, 1fr) 64px",
  nameSpan: 4,
} as const

export function EventsPage({ now, params, onParams }: EventsPageProps) {
  const journal = useJournal(params.name)
  const everything = useJournal("")
  const list = useListRef()
  const entries = journal.data?.entries ?? NONE
  const shown = useMemo(
    () => shownEntries(entries, { text: params.text, until: params.until }),
    [entries, params.text, params.until],
  )
  const lines = useMemo(() => linesOf(shown, now), [shown, now])
  const selected = entries.find((it) => it.seq === params.at)
  const head = journal.data?.head.seq ?? 0
  const held = heldBack(entries, params.until)
  const pause = () => onParams({ until: params.until === null ? head : null }, "replace")
  const select = (entry: JournalEntry | undefined) =>
    entry === undefined ? undefined : onParams({ at: entry.seq }, "replace")
  const index = shown.findIndex((it) => it.seq === params.at)

  useKey("list.next", () => select(shown[index < 0 ? shown.length - 1 : index + 1]))
  useKey("list.previous", () => select(shown[index < 0 ? shown.length - 1 : index - 1]))
  useKey("list.first", () => select(shown[0]))
  useKey("list.last", () => select(shown.at(-1)))
  useKey("leave", selected === undefined ? undefined : () => onParams({ at: null }, "replace"))

  return (
    <>
      <Header
        title="Events"
        facts={<Text tone="3">{describeCount(shown.length, journal.data)}</Text>}
      >
        <OlderEvents journal={journal.data} loadOlder={journal.loadOlder} />
        <Button
          variant={params.until === null ? "ghost" : "plain"}
          icon={params.until === null ? "pause" : "play"}
          keyId="events.pause"
          disabled={journal.data === undefined}
          onPress={pause}
        >
          {params.until === null ? "Pause" : describeFollow(held)}
        </Button>
      </Header>
      <Split
        name="events"
        list={
          <Pane label="Journal">
            <FilterHead
              label="Filter by text"
              text={params.text}
              list={list}
              onText={(text) => onParams({ text }, "replace")}
            />
            <FacetHead
              label="Event filter"
              facets={[
                { value: "", label: "All" },
                ...roomsOf(everything.data?.entries ?? NONE).map((value) => ({
                  value,
                  label: value.slice(0, -1),
                })),
              ]}
              active={params.name}
              onPick={(name) => onParams({ name, at: null })}
            />
            {journal.error === null ? null : (
              <Failure
                size="pane"
                error={toWireError(journal.error)}
                onRetry={() => void journal.refetch()}
              />
            )}
            {journal.isPending ? <RowSkeleton rows={12} /> : null}
            {journal.data !== undefined && shown.length === 0 ? (
              <NoEvents params={params} onParams={onParams} />
            ) : null}
            {shown.length === 0 ? null : (
              <VirtualList
                ref={list}
                label="Events"
                columns={COLUMNS}
                items={lines}
                keyOf={(it) => (it.kind === "day" ? it.name : `${it.entry.epoch} ${it.entry.seq}`)}
                isGroup={(it) => it.kind === "day"}
                activeIndex={lines.findIndex((it) => isAt(it, params.at))}
                activeId={selected === undefined ? undefined : optionId(selected.seq)}
                sticksToEnd={params.until === null}
                sticksGroups
                renderItem={(it) => (
                  <EventLine
                    line={it}
                    isSelected={isAt(it, params.at)}
                    onPick={(seq) => onParams({ at: seq === params.at ? null : seq })}
                  />
                )}
              />
            )}
          </Pane>
        }
        detail={
          selected === undefined ? null : (
            <EventDetail
              now={now}
              entry={selected}
              view={params.view}
              onView={(view) => onParams({ view }, "replace")}
              onClose={() => onParams({ at: null })}
            />
          )
        }
      />
    </>
  )
}

const NONE: readonly JournalEntry[] = []

type EventLineProps = {
  readonly line: Line
  readonly isSelected: boolean
  onPick(seq: number): void
}

function EventLine({ line, isSelected, onPick }: EventLineProps) {
  if (line.kind === "day") return <Group amongOptions name={line.name} count={line.count} />
  const { at, seq, name, body } = line.entry
  return (
    <Row option={{ id: optionId(seq), isSelected, onPick: () => onPick(seq) }}>
      <Cell from="roomy">
        <Text mono tone="3">
          {formatClockFine(at)}
        </Text>
      </Cell>
      <TextCell from="wide" mono tone="3" align="end">
        {seq}
      </TextCell>
      <Stack>
        <Cell lead>
          <Text mono>{name}</Text>
        </Cell>
        <NarrowLine>{formatBody(body)}</NarrowLine>
      </Stack>
      <TextCell from="roomy" size="sm" tone="2" cut>
        {formatBody(body)}
      </TextCell>
      <NarrowLine align="end">{formatSeconds(at)}</NarrowLine>
    </Row>
  )
}

function NoEvents({ params, onParams }: Pick<EventsPageProps, "params" | "onParams">) {
  const isFiltered = params.text !== "" || params.name !== ""
  if (!isFiltered) {
    return (
      <Empty
        description="This page lists each change that Quartermaster stores or observes, in order. A backup of the store creates the first one:"
        command="qm store backup"
      />
    )
  }
  return (
    <RowNote>
      No loaded event matches.
      <Button small onPress={() => onParams({ text: "", name: "" })}>
        Clear the filter
      </Button>
    </RowNote>
  )
}

function isAt(line: Line, seq: number | null): boolean {
  return line.kind === "event" && line.entry.seq === seq
}

function optionId(seq: number): string {
  return `event-${seq}`
}

function describeCount(count: number, journal: Journal | undefined): string {
  if (journal === undefined) return ""
  const { entries, isWhole } = journal
  if (isWhole) return formatShown({ shown: count, all: entries.length }, "event")
  const all = `the newest ${formatExact(entries.length)}`
  return count === entries.length ? all : `${formatExact(count)} of ${all}`
}

function describeFollow(held: number): string {
  return held === 0 ? "Follow" : `Follow, ${formatExact(held)} new`
}

function heldBack(entries: readonly JournalEntry[], until: number | null): number {
  return until === null ? 0 : entries.filter((it) => it.seq > until).length
}

type OlderEventsProps = { readonly journal: Journal | undefined; loadOlder(): Promise<void> }

function OlderEvents({ journal, loadOlder }: OlderEventsProps) {
  const toast = useToast()
  const older = useMutation({
    mutationFn: loadOlder,
    onError: (error) => toast.fail(toWireError(error)),
  })
  if (journal === undefined || olderThan(journal) === null) return null
  return (
    <Button variant="ghost" disabled={older.isPending} onPress={() => older.mutate()}>
      Load older
    </Button>
  )
}

type Line =
  | { readonly kind: "day"; readonly name: string; readonly count: number }
  | { readonly kind: "event"; readonly entry: JournalEntry }

type View = {
  readonly text: string
  readonly until: number | null
  readonly now: number
}

function shownEntries(
  entries: readonly JournalEntry[],
  { text, until }: Pick<View, "text" | "until">,
): readonly JournalEntry[] {
  return entries.filter((it) => (until === null || it.seq <= until) && matchesText(it, text))
}

function linesOf(entries: readonly JournalEntry[], now: number): readonly Line[] {
  const days = Map.groupBy(entries, (it) => nameDay(it.at, now))
  return [...days].flatMap(([name, ofDay]) => [
    { kind: "day", name, count: ofDay.length } as const,
    ...ofDay.map((entry) => ({ kind: "event", entry }) as const),
  ])
}

function roomsOf(entries: readonly JournalEntry[]): readonly string[] {
  return [...new Set(entries.map((it) => `${it.name.split(".")[0]}.`))].toSorted()
}

function formatBody(body: JournalEntry["body"]): string {
  return Object.entries(body)
    .map(([name, value]) => `${name} ${formatValue(value)}`)
    .join(", ")
}

function formatValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length}]`
  if (typeof value === "object" && value !== null) return `{${Object.keys(value).length}}`
  return String(value)
}

type EventDetailProps = {
  readonly now: number
  readonly entry: JournalEntry
  readonly view: "fields" | "raw"
  onView(view: "fields" | "raw"): void
  onClose(): void
}

function EventDetail({ now, entry, view, onView, onClose }: EventDetailProps) {
  const raw = JSON.stringify(entry, null, 2)
  useKey("events.view", () => onView(view === "raw" ? "fields" : "raw"))
  useKey("panel.right", onClose)
  return (
    <Pane label="Event">
      <DetailHead
        back="Back to the journal"
        actions={<CopyIcon text={raw} label="Copy the event" keyId="events.copy" />}
        onClose={onClose}
      >
        <Text as="h2" mono strong cut title={entry.name}>
          {entry.name}
        </Text>
      </DetailHead>
      <Block>
        <Values>
          <Value name="At" title={formatMoment(entry.at)}>
            {formatWhenFine(entry.at, now)}
          </Value>
          <Value name="Sequence">{entry.seq}</Value>
          <Value name="Version">{entry.version}</Value>
          <Value name="Id" title={entry.id}>
            <Text mono>{entry.id}</Text>
          </Value>
          <Value name="Epoch" title={entry.epoch}>
            <Text mono>{entry.epoch}</Text>
          </Value>
        </Values>
      </Block>
      <Tabs
        active={view}
        onChange={onView}
        tabs={[
          {
            id: "fields",
            label: "Fields",
            content: <ValueTree key={entry.id} value={entry.body} label="Fields of the event" />,
          },
          { id: "raw", label: "Raw", content: <Code text={raw} label="The event as JSON" /> },
        ]}
      />
    </Pane>
  )
}
