import { Fragment, lazy, memo, Suspense } from "react"
import { asRecord } from "#ground/base/object"
import { formatClock, formatElapsed, visible, visibleLine } from "../../../base/format.ts"
import { type Message, plural } from "../../../contract.ts"
import { paths } from "../../../data/paths.ts"
import { Button, IconButton } from "../../../ui/button/button.tsx"
import { Icon } from "../../../ui/icon/icon.tsx"
import { Markdown } from "../../../ui/markdown/markdown.tsx"
import { StatusMark } from "../../../ui/status-mark/status-mark.tsx"
import {
  EntryFoot,
  Entry as EntryLine,
  Line,
  MessageText,
  Muted,
  TextLink,
} from "../../../ui/transcript/transcript.tsx"
import { ApprovalView } from "../approval.tsx"
import {
  activityIcon,
  describeEntry,
  describeHostEvent,
  describeNote,
  groupFigures,
  groupSays,
  groupTitle,
} from "../words.ts"
import { ActivityView } from "./activity.tsx"
import { ContextView } from "./context-view.tsx"
import {
  type ApprovalEntry,
  type Entry,
  type Group,
  type MessageEntry,
  pipelinePart,
  type QuietEntry,
  type TurnEnd,
} from "./entry.ts"
import type { Row } from "./flat.ts"
import type { RowHandlers } from "./row-handlers.ts"
import { WholeText } from "./whole-text.tsx"

type RowViewProps = {
  readonly row: Row
  readonly isSelected: boolean
  readonly isFound: boolean
  readonly handlers: RowHandlers
}

const rowId = (key: string): string => `row-${key}`

export const RowView = memo(function RowView({ row, isSelected, isFound, handlers }: RowViewProps) {
  const { entry, depth, key } = row
  return (
    <EntryLine
      id={rowId(key)}
      time={formatClock(entry.at)}
      mark={markOf(entry)}
      depth={depth}
      isSelected={isSelected}
      isFound={isFound}
      label={describeEntry(entry)}
      onPick={() => handlers.pick(key, entry.seq)}
      {...(isSelected ? { actions: <RowActions entry={entry} handlers={handlers} /> } : {})}
    >
      <Content row={row} handlers={handlers} />
      {isSelected && "told" in entry ? <HostEvents messages={entry.told} /> : null}
    </EntryLine>
  )
})

function RowActions({
  entry,
  handlers,
}: {
  readonly entry: Entry
  readonly handlers: RowHandlers
}) {
  return (
    <>
      <IconButton small icon="link" label="Copy link, y" onPress={() => handlers.copyLink(entry)} />
      <IconButton small icon="copy" label="Copy text, Y" onPress={() => handlers.copyText(entry)} />
      <IconButton small icon="code" label="Show the raw event, r" onPress={handlers.showRaw} />
    </>
  )
}

function markOf(entry: Entry) {
  switch (entry.kind) {
    case "user":
      return <Icon name="chevron-right" />
    case "said":
      return <Icon name="agent" />
    case "error":
      return <StatusMark status="failed" />
    case "note":
      return <Icon name={describeNote(entry.message).tone === "warn" ? "warning" : "events"} />
    case "quiet":
      return <Icon name="dots" />
    case "context":
      return <Icon name="capture" />
    case "turn":
      return <StatusMark status={TURN_MARKS[entry.event.outcome]} />
    case "approval":
      return <StatusMark status={askMark(entry)} />
    case "pause":
      return <StatusMark status={entry.isOver ? "done" : "paused"} />
    case "activity":
      return <Icon name={activityIcon(entry)} />
    case "group":
      return <Icon name="search" />
    default:
      return entry satisfies never
  }
}

function askMark({ resolved }: ApprovalEntry) {
  if (resolved === null) return "waiting"
  return resolved.event.decision === "allow" ? "done" : "stopped"
}

function HostEvents({ messages }: { readonly messages: readonly Message[] }) {
  return messages.slice(-MOST_TOLD).map((it) => <Muted key={it.seq}>{describeHostEvent(it)}</Muted>)
}

/** The newest entries are most relevant: usage and cost are sums. */
const MOST_TOLD = 6

const TURN_MARKS = { completed: "done", failed: "failed", stopped: "stopped" } as const

function Content({ row, handlers }: Pick<RowViewProps, "row" | "handlers">) {
  const { entry, depth, isOpen } = row
  switch (entry.kind) {
    case "user":
    case "said":
    case "error":
      return <MessageView entry={entry} depth={depth} handlers={handlers} />
    case "note": {
      const { description, tone } = describeNote(entry.message)
      return <Muted tone={tone}>{description}</Muted>
    }
    case "quiet":
      return <QuietView entry={entry} isOpen={isOpen} handlers={handlers} />
    case "context":
      return (
        <ContextView entry={entry} isOpen={isOpen} onToggle={() => handlers.toggle(entry.key)} />
      )
    case "turn":
      return <TurnView entry={entry} handlers={handlers} />
    case "approval":
      return <ApprovalView entry={entry} handlers={handlers} />
    case "pause":
      return (
        <Suspense fallback={null}>
          <PauseView entry={entry} handlers={handlers} />
        </Suspense>
      )
    case "activity":
      return <ActivityView entry={entry} depth={depth} isOpen={isOpen} handlers={handlers} />
    case "group":
      return <GroupView entry={entry} isOpen={isOpen} handlers={handlers} />
    default:
      return entry satisfies never
  }
}

// Few transcripts have a pause or a document, and the first load has a limit.
const PauseView = lazy(async () => {
  try {
    return { default: (await import("./pause-view.tsx")).PauseView }
  } catch {
    return { default: () => <Muted>Reload the page to answer this pause.</Muted> }
  }
})

const DocumentView = lazy(async () => {
  try {
    return { default: (await import("./document-view.tsx")).DocumentView }
  } catch {
    return { default: ({ text }: { readonly text: string }) => <Markdown text={text} /> }
  }
})

function SaidText({ message, text }: { readonly message: Message; readonly text: string }) {
  const part = pipelinePart(message)
  if (part?.part !== "document") return <Markdown text={text} />
  return (
    <Suspense fallback={<Markdown text={text} />}>
      <DocumentView pipeline={part.id} text={text} />
    </Suspense>
  )
}

type SaidViewProps = {
  readonly entry: MessageEntry
  readonly depth: number
  readonly handlers: RowHandlers
}

function MessageView({ entry, depth, handlers }: SaidViewProps) {
  const { kind, message } = entry
  if (kind === "said") {
    return (
      <MessageText>
        <WholeText
          message={message}
          handlers={handlers}
          render={(text) => <SaidText message={message} text={text} />}
        />
      </MessageText>
    )
  }
  const variant = kind === "error" ? "bad" : "strong"
  return (
    <>
      <MessageText {...(kind === "user" && depth > 0 ? {} : { variant })}>
        <WholeText message={message} handlers={handlers} render={(text) => visible(text)} />
      </MessageText>
      <Parts parts={message.metadata.parts} />
    </>
  )
}

function Parts({ parts }: { readonly parts: unknown }) {
  if (!Array.isArray(parts) || parts.length === 0) return null
  return (
    <Muted>
      with{" "}
      {parts.map((it: unknown, i) => (
        <Fragment key={fieldOf(it, "label") ?? i}>
          {i === 0 ? "" : ", "}
          <PartName label={fieldOf(it, "label") ?? "part"} pack={fieldOf(it, "pack")} />
        </Fragment>
      ))}{" "}
      in front
    </Muted>
  )
}

function PartName({ label, pack }: { readonly label: string; readonly pack: string | undefined }) {
  if (pack === undefined) return visible(label)
  return <TextLink href={paths.pack({ id: pack })}>{visible(label)}</TextLink>
}

function fieldOf(part: unknown, name: "label" | "pack"): string | undefined {
  const value = asRecord(part)[name]
  return typeof value === "string" ? value : undefined
}

type Foldable<One> = {
  readonly entry: One
  readonly isOpen: boolean
  readonly handlers: RowHandlers
}

function QuietView({ entry, isOpen, handlers }: Foldable<QuietEntry>) {
  const { messages, key } = entry
  const [first] = messages
  if (first === undefined) return null
  if (messages.length === 1) return <Muted>{describeHostEvent(first)}</Muted>
  const last = messages.at(-1) ?? first
  return (
    <>
      <Line
        plain
        title={describeHostEvent(last)}
        description={`and ${messages.length - 1} more from the host`}
        isOpen={isOpen}
        onToggle={() => handlers.toggle(key)}
      />
      {isOpen
        ? messages
            .slice(0, MOST_QUIET)
            .map((it) => <Muted key={it.seq}>{describeHostEvent(it)}</Muted>)
        : null}
      {isOpen && messages.length > MOST_QUIET ? (
        <Muted>{messages.length - MOST_QUIET} more are not shown</Muted>
      ) : null}
    </>
  )
}

/** Consecutive host events in one entry; otherwise a chatty host would fill the page. */
const MOST_QUIET = 50

function GroupView({ entry, isOpen, handlers }: Foldable<Group>) {
  return (
    <Line
      title={groupTitle(entry)}
      description={isOpen ? "" : groupSays(entry)}
      figures={groupFigures(entry)}
      isOpen={isOpen}
      onToggle={() => handlers.toggle(entry.key)}
    />
  )
}

type TurnViewProps = { readonly entry: TurnEnd; readonly handlers: RowHandlers }

function TurnView({ entry, handlers }: TurnViewProps) {
  const { event, message, isRepeated } = entry
  const isFailed = event.outcome === "failed"
  const facts = [
    event.turns === undefined ? "" : plural(event.turns, "model call"),
    event.denials === 0 ? "" : plural(event.denials, "call denied", "calls denied"),
    isFailed ? visibleLine(event.error ?? message.content) : "",
  ].filter((it) => it !== "")
  return (
    <>
      <Line
        plain
        title={`Turn ${event.outcome}`}
        description={facts.join(", ")}
        tone={isFailed ? "bad" : undefined}
        figures={event.durationMs === undefined ? [] : ["", formatElapsed(event.durationMs)]}
      />
      {handlers.again?.seq !== entry.seq ? null : (
        <EntryFoot>
          <Button small onPress={handlers.again.send}>
            Send again
          </Button>
        </EntryFoot>
      )}
      {isRepeated || isFailed ? null : (
        <MessageText>
          <WholeText
            message={message}
            handlers={handlers}
            render={(text) => <Markdown text={text} />}
          />
        </MessageText>
      )}
    </>
  )
}
