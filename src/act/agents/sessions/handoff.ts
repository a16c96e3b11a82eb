import { isRecord, parseJsonRecord } from "#ground/base"
import { AgentEvent, type Message, type Run } from "#ground/contract"
import { titleLine } from "../wire/tool-text.ts"
import {
  HANDOFF_TOKENS,
  LONGEST_HANDOFF_CHARACTERS,
  MOST_HANDOFF_ENTRIES,
  MOST_HANDOFF_MESSAGES,
} from "./limits.ts"
import { fenced, plainCut } from "./restore-context.ts"

export type HandoffInput = {
  readonly run: Pick<Run, "prompt" | "title">
  /** All of the run, in their order, with `metadata.event`. */
  readonly messages: readonly Message[]
  /** Random, so that no text of the run can hold it. */
  readonly delimiter: string
  count(text: string): number
  readonly mostTokens?: number
}

/**
 * What a fresh session needs of a run whose window is nearly full: the task, what was decided, what
 * was changed, what failed, what is open and what to do next. The same messages give the same text.
 */
export function handoffOf(input: HandoffInput): { readonly text: string; readonly tokens: number } {
  const most = input.mostTokens ?? HANDOFF_TOKENS
  const heard = input.messages.map(parser)
  const task: Section = { title: "Task", entries: tasks(input.run, heard), keep: "first" }
  const sections = sectionsOf(heard)
  for (const measure of MEASURES) {
    const text = render([task, ...sections], measure, input)
    const tokens = input.count(text)
    if (tokens <= most) return { text, tokens }
  }
  const text = render([task], SMALLEST, input)
  return { text, tokens: input.count(text) }
}

type Section = {
  readonly title: string
  readonly entries: readonly string[]
  keep: "first" | "last"
}
type Measure = { readonly entries: number; readonly characters: number }

/** Tried from the largest to the smallest; the first that fits is taken. */
const MEASURES: readonly Measure[] = [1, 2, 4, 8, 16, 32].map((by) => ({
  entries: Math.max(1, Math.floor(MOST_HANDOFF_ENTRIES / by)),
  characters: Math.max(40, Math.floor(LONGEST_HANDOFF_CHARACTERS / by)),
}))
const SMALLEST: Measure = { entries: 1, characters: 40 }

function sectionsOf(heard: readonly RecordedMessage[]): readonly Section[] {
  const words = heard.filter(isOwnWord).slice(-MOST_HANDOFF_MESSAGES)
  const texts = words.map((it) => it.message.content)
  const lastWord = texts.at(-1) ?? ""
  const recent = texts.slice(-RECENT_WORDS)
  return [
    {
      title: "ApprovalDecision",
      entries: [...linesOf(texts, DECISION), ...denials(heard)],
      keep: "last",
    },
    { title: "Files changed", entries: changedFiles(heard), keep: "last" },
    { title: "What failed", entries: failures(heard), keep: "last" },
    { title: "Open questions", entries: linesOf(recent, QUESTION), keep: "last" },
    { title: "Last words", entries: lastWord === "" ? [] : [lastWord], keep: "last" },
    { title: "To do next", entries: nextSteps(heard, lastWord), keep: "first" },
  ]
}

const RECENT_WORDS = 5
const DECISION = /\b(?:decided|decision|chose|chosen|instead of|rather than|settled on|agreed)\b/i
const QUESTION = /\?\s*$/
const STEP = /^(?:[-*] \[ \]|next\b|todo\b|to do\b|remaining\b|still (?:to|open|missing)\b)/i

function parser(message: Message): RecordedMessage {
  const event = AgentEvent.safeParse(message.metadata["event"])
  return { message, event: event.success ? event.data : undefined }
}

/** The agent's own words, not those of its sub-agents; its answer repeats the last of them. */
function isOwnWord({ message, event }: RecordedMessage): boolean {
  const isInner = event?.event === "message" && event.parentId !== undefined
  return message.type === "assistant" && !isInner
}

/** What it was started for, then what it was told since. */
function tasks(run: HandoffInput["run"], heard: readonly RecordedMessage[]): readonly string[] {
  const turns = heard.filter((it) => it.message.type === "user").map((it) => it.message.content)
  return unique([run.prompt, ...turns.filter((it) => it !== run.prompt)])
}

function linesOf(texts: readonly string[], pattern: RegExp): readonly string[] {
  const lines = texts.flatMap((it) => it.split("\n")).map((it) => it.trim())
  return unique(lines.filter((it) => it.length > 3 && pattern.test(it)))
}

function nextSteps(heard: readonly RecordedMessage[], lastWord: string): readonly string[] {
  const steps = [...lastPlan(heard), ...linesOf([lastWord], STEP)]
  return steps.length > 0 ? unique(steps) : ["Look at the files changed, and go on with the task."]
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((it) => it.trim() !== "")
}

/** The task is a person's and is to be followed; all else is what was said and done on the way. */
function render(
  [task, ...sections]: readonly [Section, ...Section[]],
  measure: Measure,
  { delimiter }: HandoffInput,
): string {
  const told = sections.filter((it) => it.entries.length > 0)
  const body = told.map((it) => sectionText(it, measure)).join("\n\n")
  return [
    "This session takes over from one whose window is nearly full. Go on with its task.",
    sectionText(task, measure),
    ...(body === "" ? [] : [fenced(body, delimiter)]),
  ].join("\n\n")
}

function sectionText(section: Section, { entries: most, characters }: Measure): string {
  const { title, entries, keep } = section
  const kept = keep === "first" ? entries.slice(0, most) : entries.slice(-most)
  const left = entries.length - kept.length
  const lines = kept.map((it) => `- ${plainCut(it, characters).replaceAll("\n", "\n  ")}`)
  return [`# ${title}`, ...lines, ...(left > 0 ? [`(${left} more)`] : [])].join("\n")
}

/** A message, and the event it was made of. */
export type RecordedMessage = { readonly message: Message; readonly event: AgentEvent | undefined }

type Named<Name extends AgentEvent["event"]> = Extract<AgentEvent, { event: Name }>

/** Each file that a diff of the run changed, with its lines, in the order of the last change. */
export function changedFiles(heard: readonly RecordedMessage[]): readonly string[] {
  const files = new Map<string, { added: number; removed: number }>()
  for (const diff of heard.flatMap(diffOf)) {
    for (const change of changesIn(diff)) {
      const before = files.get(change.path) ?? { added: 0, removed: 0 }
      files.delete(change.path)
      files.set(change.path, {
        added: before.added + change.added,
        removed: before.removed + change.removed,
      })
    }
  }
  return [...files].map(([path, it]) => `${path} (+${it.added} -${it.removed})`)
}

function diffOf({ event }: RecordedMessage): readonly string[] {
  return event?.event === "activity.ended" && event.diff !== undefined ? [event.diff] : []
}

type Change = { readonly path: string; readonly added: number; readonly removed: number }

/** One diff may be of several files; the name after a deletion is /dev/null. */
function changesIn(diff: string): readonly Change[] {
  // A line that was taken out may begin like the name of a file; a name is followed by another.
  const parts = diff.split(/^--- (?=.*\n\+\+\+ )/m).slice(1)
  return parts.map((part) => {
    const [from = "", to = "", ...lines] = part.split("\n")
    const after = to.replace(/^\+\+\+ /, "")
    const named = after === "/dev/null" ? from : after
    return {
      path: named.replace(/^[ab]\//, ""),
      added: lines.filter((it) => it.startsWith("+")).length,
      removed: lines.filter((it) => it.startsWith("-")).length,
    }
  })
}

/** Tools that failed, by what they were to do, and errors of the run. */
export function failures(heard: readonly RecordedMessage[]): readonly string[] {
  const titles = new Map<string, string>()
  return heard.flatMap(({ message, event }) => {
    if (event?.event === "activity.started") titles.set(event.activityId, event.title)
    if (message.type === "error") return [message.content]
    if (event?.event !== "activity.ended" || event.outcome !== "failed") return []
    return [`${titles.get(event.activityId) ?? "A tool"}: ${titleLine(message.content)}`]
  })
}

/** What somebody said no to. */
export function denials(heard: readonly RecordedMessage[]): readonly string[] {
  const titles = new Map<string, string>()
  return heard.flatMap(({ event }) => {
    if (event?.event === "approval.requested") titles.set(event.approvalId, event.title)
    if (event?.event !== "approval.resolved" || event.decision !== "deny") return []
    return [`Denied by ${event.by}: ${titles.get(event.approvalId) ?? "a question"}`]
  })
}

/** The steps of the agent's own list that are not done, as it last wrote it. */
export function lastPlan(heard: readonly RecordedMessage[]): readonly string[] {
  const plans = heard.flatMap(({ event }) => (isPlan(event) ? [event.input] : []))
  const todos = parseJsonRecord(plans.at(-1) ?? "")?.["todos"]
  if (!Array.isArray(todos)) return []
  return todos.flatMap((it: unknown) => {
    const isOpen = isRecord(it) && it["status"] !== "completed"
    const text = isOpen ? it["content"] : undefined
    return typeof text === "string" ? [text] : []
  })
}

function isPlan(event: AgentEvent | undefined): event is Named<"activity.started"> {
  return event?.event === "activity.started" && event.kind === "plan"
}
