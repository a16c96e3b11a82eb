import { lazy, Suspense, useMemo } from "react"
import { parseJson } from "#ground/base/json"
import { capText, visible, visibleLine } from "../../../base/format.ts"
import { type Message, plural } from "../../../contract.ts"
import { DiffLines } from "../../../ui/diff/diff.tsx"
import { type FileDiff, readUnified } from "../../../ui/diff/unified-diff.ts"
import { Path } from "../../../ui/path/path.tsx"
import { Text } from "../../../ui/text/text.tsx"
import { Box, BoxCode, BoxDiff, BoxTop, Changes } from "../../../ui/transcript/box.tsx"
import { Line, MessageText, MoreButton } from "../../../ui/transcript/transcript.tsx"
import { activityFigures, activityIcon, activitySays, activityTitle } from "../words.ts"
import type { Activity } from "./entry.ts"
import type { RowHandlers } from "./row-handlers.ts"
import { WholeText } from "./whole-text.tsx"

type ActivityViewProps = {
  readonly entry: Activity
  readonly depth: number
  readonly isOpen: boolean
  readonly handlers: RowHandlers
}

export function ActivityView({ entry, depth, isOpen, handlers }: ActivityViewProps) {
  const { description, tone } = activitySays(entry)
  const writing = entry.ended === null ? (handlers.writing.get(entry.id) ?? "") : ""
  const diff = entry.ended?.event.diff ?? ""
  const plan = submittedPlan(entry)
  const isChange = diff !== "" && entry.ended?.event.outcome === "done"
  if (isChange && isOpen) return <ChangeView entry={entry} diff={diff} handlers={handlers} />
  return (
    <>
      <Line
        title={activityTitle(entry)}
        icon={depth > 0 ? activityIcon(entry) : undefined}
        plain={depth > 0}
        description={isOpen || writing === "" ? description : lastMessageText(writing)}
        tone={tone}
        figures={activityFigures(entry)}
        isOpen={isOpen}
        onToggle={() => handlers.toggle(entry.key)}
      />
      {isOpen ? <Inside entry={entry} handlers={handlers} /> : null}
      {plan === undefined ? null : (
        <Suspense fallback={null}>
          <PlanView id={plan} isReadOnly={handlers.isReadOnly} />
        </Suspense>
      )}
      {isOpen && writing !== "" ? (
        <MessageText variant="writing">{visible(writing)}</MessageText>
      ) : null}
    </>
  )
}

// Few transcripts have a plan, and the first load has a limit.
const PlanView = lazy(async () => {
  try {
    return { default: (await import("./plan-view.tsx")).PlanView }
  } catch {
    return { default: () => null }
  }
})

/** The id of the plan that a call of our tool `submit_plan` stored. */
export function submittedPlan({ started, ended }: Activity): string | undefined {
  const isOurs = /(?:^|_|\.)submit_plan$/.test(started?.event.tool ?? "")
  if (!isOurs || ended?.event.outcome !== "done") return undefined
  return /"id":\s?"([a-z0-9][a-z0-9-]{0,79})"/.exec(ended.message.content)?.[1]
}

/** A collapsed activity shows the end of its streamed text. */
const LAST_CHARACTERS = 90

function lastMessageText(text: string): string {
  const line = visibleLine(text)
  return line.length <= LAST_CHARACTERS ? line : `… ${line.slice(-LAST_CHARACTERS)}`
}

function Inside({ entry, handlers }: Pick<ActivityViewProps, "entry" | "handlers">) {
  const { started } = entry
  const input = started === null ? "" : readable(started.event.input)
  const outputs = outputsOf(entry)
  return (
    <>
      {input === "" ? null : (
        <Box>
          <BoxCode label={`Input of ${started?.event.tool ?? "the tool"}`} text={capText(input)} />
        </Box>
      )}
      {outputs.length === 0 ? null : (
        <Box>
          {outputs.slice(-MOST_OUTPUTS).map((it) => (
            <Output key={it.seq} message={it} handlers={handlers} />
          ))}
        </Box>
      )}
    </>
  )
}

/** The final output includes the earlier updates. */
function outputsOf({ updates, ended }: Activity): readonly Message[] {
  if (ended !== null && ended.message.content !== "") return [ended.message]
  return updates.filter((it) => it.content !== "")
}

/** More updates are a log; "Raw" and the export have all of them. */
const MOST_OUTPUTS = 20

function Output({
  message,
  handlers,
}: {
  readonly message: Message
  readonly handlers: RowHandlers
}) {
  return (
    <WholeText
      message={message}
      handlers={handlers}
      render={(text) => <BoxCode label="Output" text={capText(text)} />}
    />
  )
}

function readable(input: string): string {
  const value = parseJson(input)
  if (typeof value !== "object" || value === null) return input
  const entries = Object.entries(value)
  const [only] = entries
  if (entries.length === 1 && only !== undefined && typeof only[1] === "string") return only[1]
  return JSON.stringify(value, null, 2)
}

type ChangeViewProps = {
  readonly entry: Activity
  readonly diff: string
  readonly handlers: RowHandlers
}

function ChangeView({ entry, diff, handlers }: ChangeViewProps) {
  const files = useMemo(() => readUnified(diff), [diff])
  if (files.length === 0) {
    return (
      <Box>
        <BoxTop aside={null}>
          <Text strong>{activityTitle(entry)}</Text>
        </BoxTop>
        <BoxCode label="Changes" text={capText(diff)} />
      </Box>
    )
  }
  return files.map((file, i) => (
    <FileChange
      key={`${i} ${file.path}`}
      file={file}
      entry={entry}
      files={files.length}
      handlers={handlers}
    />
  ))
}

type FileChangeProps = {
  readonly file: FileDiff
  readonly files: number
  readonly entry: Activity
  readonly handlers: RowHandlers
}

const FIRST_LINES = 24

function FileChange({ file, files, entry, handlers }: FileChangeProps) {
  const path = changedPath(file.path, entry.started?.event.path ?? "", handlers.cwd)
  const isAll = handlers.isWhole(entry.seq) || file.lines.length <= FIRST_LINES + 4
  const lines = isAll ? file.lines : file.lines.slice(0, FIRST_LINES)
  return (
    <Box>
      <BoxTop
        aside={
          <>
            {files > 1 ? (
              <Text size="sm" tone="3">
                {plural(files, "file")}
              </Text>
            ) : null}
            <MoreButton onPress={() => handlers.toggle(entry.key)}>Show less</MoreButton>
          </>
        }
      >
        {path === "" ? <b>{activityTitle(entry)}</b> : <Path path={path} />}
        <Changes added={file.added} removed={file.removed} />
      </BoxTop>
      <BoxDiff>
        <DiffLines label={`Changes of ${path}`} lines={lines} />
      </BoxDiff>
      {isAll ? null : (
        <BoxTop>
          <MoreButton onPress={() => handlers.wantWhole(entry.seq)}>
            Show all {file.lines.length} lines
          </MoreButton>
        </BoxTop>
      )}
    </Box>
  )
}

/**
 * The path of a changed file: relative to the run's folder if it is below it, else absolute. Diff
 * headers contain `b/tmp/x` for `/tmp/x`, so the leading slash may be lost with the `b/`.
 */
export function changedPath(inDiff: string, inCall: string, cwd: string): string {
  const path = inDiff === "" || inCall === `/${inDiff}` ? inCall : inDiff
  const base = cwd.endsWith("/") ? cwd : `${cwd}/`
  const rooted = path.startsWith("/") ? path : `/${path}`
  return rooted.startsWith(base) ? rooted.slice(base.length) : path
}
