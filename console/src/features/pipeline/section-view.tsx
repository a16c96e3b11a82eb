import { capText, formatClock, visible, visibleLine } from "../../base/format.ts"
import { Icon } from "../../ui/icon/icon.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { StepGroup } from "../../ui/steps/steps.tsx"
import { Box, BoxCode } from "../../ui/transcript/box.tsx"
import { Entry, Line, MessageText } from "../../ui/transcript/transcript.tsx"
import type { Activity, Item, Note, Section } from "./sections.ts"
import {
  describeActivity,
  describeSection,
  describeSectionNumbers,
  figuresOf,
  iconOf,
} from "./words.ts"

export type SectionProps = {
  readonly section: Section
  readonly title: string
  readonly now: number
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly isLive: boolean
  readonly writing: ReadonlyMap<string, string>
  isItemOpen(key: string): boolean
  onToggle(): void
  onToggleItem(key: string): void
}

export function SectionView(props: SectionProps) {
  const { section, title, now, isOpen, isLive } = props
  const { description, tone } = describeSection(section, isLive)
  const isEmpty = section.items.length === 0 && !isLive
  return (
    <StepGroup
      id={sectionId(section.key)}
      title={title}
      description={description}
      tone={tone}
      aside={describeSectionNumbers(section, isLive, now)}
      isLive={isLive}
      isOpen={isEmpty ? undefined : isOpen}
      isSelected={props.isSelected}
      onToggle={props.onToggle}
    >
      {section.items.map((it) => (
        <ItemView key={it.key} item={it} {...props} />
      ))}
      {isLive ? <Unplaced {...props} /> : null}
    </StepGroup>
  )
}

export const sectionId = (key: string): string => `section-${key}`

type ItemProps = SectionProps & { readonly item: Item }

function ItemView({ item, ...props }: ItemProps) {
  return item.kind === "note" ? (
    <NoteView note={item} {...props} />
  ) : (
    <ActivityView activity={item} {...props} />
  )
}

function ActivityView({ activity, ...props }: SectionProps & { readonly activity: Activity }) {
  const { key, tool, detail, text, outcome, at } = activity
  const isRunning = outcome === null && props.isLive
  const { description, tone } = describeActivity(activity, props.isLive)
  const whole = [detail, text].filter((it) => it !== "").join("\n\n")
  const isOpen = whole === "" ? undefined : props.isItemOpen(key)
  const written = isRunning ? (props.writing.get(key) ?? "") : ""
  return (
    <Entry
      id={`activity-${key}`}
      time={formatClock(at)}
      mark={isRunning ? <StatusMark status="running" /> : <Icon name={iconOf(activity)} />}
      depth={0}
      isSelected={false}
      isFound={false}
      label={`${visibleLine(tool)}: ${description}`}
      onPick={nothing}
    >
      <Line
        plain={!isRunning}
        keeps
        title={visibleLine(tool)}
        description={description}
        tone={tone}
        figures={figuresOf(activity)}
        isOpen={isOpen}
        onToggle={whole === "" ? undefined : () => props.onToggleItem(key)}
      />
      {isOpen === true ? (
        <Box>
          <BoxCode label={`Output of ${visibleLine(tool)}`} text={capText(whole)} />
        </Box>
      ) : null}
      {written === "" ? null : <MessageText variant="writing">{lastOf(written)}</MessageText>}
    </Entry>
  )
}

function NoteView({ note, ...props }: SectionProps & { readonly note: Note }) {
  const { key, title, description, tone, at } = note
  const isOpen = props.isItemOpen(key)
  const isLong = description.length > LONG_CHARACTERS
  return (
    <Entry
      id={`activity-${key}`}
      time={formatClock(at)}
      mark={<Icon name={tone === null ? "ask" : "warning"} />}
      depth={0}
      isSelected={false}
      isFound={false}
      label={visibleLine(title)}
      onPick={nothing}
    >
      <Line
        plain
        keeps
        title={visibleLine(title)}
        description={isOpen ? "" : visibleLine(description)}
        tone={tone ?? undefined}
        isOpen={isLong ? isOpen : undefined}
        onToggle={isLong ? () => props.onToggleItem(key) : undefined}
      />
      {isLong && isOpen ? (
        <Box>
          <BoxCode label={visibleLine(title)} text={capText(description)} />
        </Box>
      ) : null}
    </Entry>
  )
}

function Unplaced({ section, writing }: SectionProps) {
  const keys = new Set(section.items.map((it) => it.key))
  const [text] = [...writing].flatMap(([id, it]) => (keys.has(id) ? [] : [it]))
  if (text === undefined) return null
  return (
    <Entry
      id="activity-next"
      time=""
      mark={<StatusMark status="running" />}
      depth={0}
      isSelected={false}
      isFound={false}
      label="Streamed text"
      onPick={nothing}
    >
      <MessageText variant="writing">{lastOf(text)}</MessageText>
    </Entry>
  )
}

const nothing = (): void => undefined

const LONG_CHARACTERS = 80
const LAST_CHARACTERS = 1_200

function lastOf(text: string): string {
  return text.length <= LAST_CHARACTERS
    ? visible(text)
    : `… ${visible(text.slice(-LAST_CHARACTERS))}`
}
