import { isRecord, parseJsonRecord } from "#ground/base"
import type { AgentEvent, Message, Run } from "#ground/contract"
import { eventOf } from "../event-message.ts"
import { titleLine } from "../wire/tool-text.ts"
import { changesIn } from "../wire/unified-diff.ts"
import { fenced, plainCut } from "./restore-context.ts"

export type HandoffInput = {
  readonly run: Pick<Run, "contextUsed" | "contextWindow" | "cwd" | "prompt" | "title">
  readonly messages: readonly Message[]
  /** Random, so that no text of the run can contain it. */
  readonly delimiter: string
  count(text: string): number
  readonly mostTokens?: number
}

/**
 * Text for a new session that continues a run: the task, decisions, changes, failures, open
 * questions and next steps. The same messages give the same text.
 */
export function handoffOf(input: HandoffInput): { readonly text: string; readonly tokens: number } {
  const entries = input.messages.map((message) => ({ message, event: eventOf(message) }))
  const task: Section = { title: "Task", entries: tasks(input.run, entries), keep: "first" }
  const sections = sectionsOf(entries, input.run.cwd)
  for (const size of SIZES) {
    const text = render([task, ...sections], size, input)
    const tokens = input.count(text)
    if (tokens <= (input.mostTokens ?? 4_000)) return { text, tokens }
  }
  const text = render([task], { entries: 1, characters: 40 }, input)
  return { text, tokens: input.count(text) }
}

type Entry = { readonly message: Message; readonly event: AgentEvent | undefined }
type Entries = readonly Entry[]

type Section = {
  readonly title: string
  readonly entries: readonly string[]
  keep: "first" | "last"
}
type Size = { readonly entries: number; readonly characters: number }

const SIZES: readonly Size[] = [1, 2, 4, 8, 16, 32].map((by) => ({
  entries: Math.max(1, Math.floor(20 / by)),
  characters: Math.max(40, Math.floor(1_200 / by)),
}))

function sectionsOf(entries: Entries, cwd: string): readonly Section[] {
  const texts = entries
    .filter(isOwnText)
    .slice(-2_000)
    .map((it) => it.message.content)
  const lastText = texts.at(-1) ?? ""
  const recent = texts.slice(-5)
  return [
    { title: "Decided", entries: [...linesOf(texts, DECISION), ...denials(entries)], keep: "last" },
    { title: "Files changed", entries: changedFiles(entries, cwd), keep: "last" },
    { title: "Failures", entries: failures(entries), keep: "last" },
    { title: "Open questions", entries: linesOf(recent, QUESTION), keep: "last" },
    { title: "Last message", entries: lastText === "" ? [] : [lastText], keep: "last" },
    { title: "Next steps", entries: nextSteps(entries, lastText), keep: "first" },
  ]
}

const DECISION = /\b(?:decided|decision|chose|chosen|instead of|rather than|settled on|agreed)\b/i
const QUESTION = /\?\s*$/
const STEP = /^(?:[-*] \[ \]|next\b|todo\b|to do\b|remaining\b|still (?:to|open|missing)\b)/i

function isOwnText({ message, event }: Entry): boolean {
  const isInner = event?.event === "message" && event.parentId !== undefined
  return message.type === "assistant" && !isInner
}

function tasks(run: HandoffInput["run"], entries: Entries): readonly string[] {
  const turns = entries.filter((it) => it.message.type === "user").map((it) => it.message.content)
  return unique([run.prompt, ...turns.filter((it) => it !== run.prompt)])
}

function linesOf(texts: readonly string[], pattern: RegExp): readonly string[] {
  const lines = texts.flatMap((it) => it.split("\n")).map((it) => it.trim())
  return unique(lines.filter((it) => it.length > 3 && pattern.test(it)))
}

function nextSteps(entries: Entries, lastText: string): readonly string[] {
  const steps = [...openPlanSteps(entries), ...linesOf([lastText], STEP)]
  return steps.length > 0 ? unique(steps) : ["Review the changed files and continue the task."]
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((it) => it.trim() !== "")
}

/** Only the task is an instruction; the rest is fenced as data. */
function render(
  [task, ...sections]: readonly [Section, ...Section[]],
  size: Size,
  { delimiter, run }: HandoffInput,
): string {
  const filled = sections.filter((it) => it.entries.length > 0)
  const body = filled.map((it) => sectionText(it, size)).join("\n\n")
  return [
    `This session replaces another one${fillOf(run)}. Continue its task.`,
    sectionText(task, size),
    ...(body === "" ? [] : [fenced(body, delimiter)]),
  ].join("\n\n")
}

function fillOf({ contextUsed, contextWindow }: HandoffInput["run"]): string {
  if (contextUsed === null || contextWindow === null || contextWindow <= 0) return ""
  return `, whose context window is ${Math.round((100 * contextUsed) / contextWindow)} % full`
}

function sectionText({ title, entries, keep }: Section, size: Size): string {
  const shown = keep === "first" ? entries.slice(0, size.entries) : entries.slice(-size.entries)
  const left = entries.length - shown.length
  const lines = shown.map((it) => `- ${plainCut(it, size.characters).replaceAll("\n", "\n  ")}`)
  return [`# ${title}`, ...lines, ...(left > 0 ? [`(${left} more)`] : [])].join("\n")
}

/** Hosts name files by absolute paths; in a diff these have no slash at the beginning. */
function changedFiles(entries: Entries, cwd: string): readonly string[] {
  const folder = `${cwd.replace(/^\/+/, "")}/`
  const relative = (path: string) => (path.startsWith(folder) ? path.slice(folder.length) : path)
  const files = new Map<string, { added: number; removed: number }>()
  for (const { event } of entries) {
    if (event?.event !== "activity.ended") continue
    for (const { path, added, removed } of changesIn(event.diff ?? "")) {
      const before = files.get(path) ?? { added: 0, removed: 0 }
      files.delete(path)
      files.set(path, { added: before.added + added, removed: before.removed + removed })
    }
  }
  return [...files].map(([path, it]) => `${relative(path)} (+${it.added} -${it.removed})`)
}

function failures(entries: Entries): readonly string[] {
  const titles = new Map<string, string>()
  return entries.flatMap(({ message, event }) => {
    if (event?.event === "activity.started") titles.set(event.activityId, event.title)
    if (message.type === "error") return [message.content]
    if (event?.event !== "activity.ended" || event.outcome !== "failed") return []
    return [`${titles.get(event.activityId) ?? "A tool"}: ${titleLine(message.content)}`]
  })
}

function denials(entries: Entries): readonly string[] {
  const titles = new Map<string, string>()
  return entries.flatMap(({ event }) => {
    if (event?.event === "approval.requested") titles.set(event.approvalId, event.title)
    if (event?.event !== "approval.resolved" || event.decision !== "deny") return []
    return [`Denied by ${event.by}: ${titles.get(event.approvalId) ?? "a request"}`]
  })
}

function openPlanSteps(entries: Entries): readonly string[] {
  const plan = entries.findLast(
    ({ event }) => event?.event === "activity.started" && event.kind === "plan",
  )?.event
  const input = plan?.event === "activity.started" ? plan.input : ""
  const todos = parseJsonRecord(input)?.["todos"]
  if (!Array.isArray(todos)) return []
  return todos.flatMap((todo: unknown) => {
    const isOpen = isRecord(todo) && todo["status"] !== "completed"
    const text = isOpen ? todo["content"] : undefined
    return typeof text === "string" ? [text] : []
  })
}
