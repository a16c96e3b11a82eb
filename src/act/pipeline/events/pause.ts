import { asRecord, truncate } from "#ground/base"
import type { PipelinePause } from "#ground/contract"
import { amendedStage, pausesAfter } from "./next.ts"
import type { PauseState, RunState } from "./state.ts"

const PAUSE_LINE_CHARACTERS = 300

const MOST_PAUSE_LINES = 50

type Choice = PipelinePause["choices"][number]
type Line = PipelinePause["lines"][number]

export function pauseView(state: RunState): PipelinePause | null {
  const { pause } = state
  if (pause === undefined) return null
  const isConfirmingExit = pause.pending !== undefined
  // An error and an exit are decided without the stage's output.
  const hasLines = pause.reason !== "error" && !isConfirmingExit
  return {
    pauseId: pause.pauseId,
    stage: pause.stage,
    reason: pause.reason,
    question: isConfirmingExit ? CONFIRM_EXIT : pause.question,
    since: pause.since,
    lines: hasLines ? linesOf(state.stages[pause.stage]?.output) : [],
    isConfirmingExit,
    choices: isConfirmingExit ? CONFIRMING : choicesOf(state, pause),
  }
}

export const CONFIRM_EXIT = "Leave this run? Its results so far are stored. 1 yes / 2 no"

const CONFIRMING: Choice[] = [
  { key: "1", word: "Yes", consequence: "The run ends; its results are stored" },
  { key: "2", word: "No", consequence: "The run continues" },
]

function choicesOf(state: RunState, pause: PauseState): Choice[] {
  const title = state.start.config.stages[amendedStage(state)]?.title ?? ""
  return [
    { key: "1", word: "Proceed", consequence: proceeding(state, pause) },
    { key: "2", word: "Amend", consequence: `Describe the change; ${title} runs again` },
    { key: "3", word: "Exit", consequence: "End here; the results so far are stored" },
  ]
}

function proceeding(state: RunState, pause: PauseState): string {
  const { stages } = state.start.config
  if (pause.reason === "error") return `Retry ${stages[pause.stage]?.title}`
  const next = stages[pause.stage + 1]
  if (next === undefined) return "The run ends with its current results"
  const usd = mostUntilPause(state, pause.stage + 1)
  return usd === undefined
    ? `Continue with ${next.title}`
    : `Continue with ${next.title}, at most ${usd}`
}

/** Undefined unless each stage up to the next pause has a budget. */
function mostUntilPause(state: RunState, from: number): string | undefined {
  const { stages } = state.start.config
  const until = stages.findIndex((it, at) => at >= from && pausesAfter(state, it))
  const ahead = stages.slice(from, until < 0 ? undefined : until + 1)
  const budgets = ahead.flatMap(({ budgetUsd }) => (budgetUsd === undefined ? [] : [budgetUsd]))
  if (budgets.length < ahead.length) return undefined
  return `$${budgets.reduce((sum, it) => sum + it, 0).toFixed(2)}`
}

/**
 * The first list in an output is what the user decides on: sub-queries, sections, steps of a plan.
 */
function linesOf(output: unknown): Line[] {
  const lists = Object.values(asRecord(output)).filter((it) => Array.isArray(it))
  const [first] = lists.map((list) => list.flatMap((it: unknown) => lineOf(it))).filter(isFilled)
  return (first ?? []).slice(0, MOST_PAUSE_LINES)
}

function isFilled(lines: readonly Line[]): boolean {
  return lines.length > 0
}

const TEXT_FIELDS = ["text", "question", "title", "name", "step", "summary"]
const NOTE_FIELDS = ["note", "target", "why", "reason", "status"]

function lineOf(item: unknown): Line[] {
  if (typeof item === "string") return [{ text: truncate(item, PAUSE_LINE_CHARACTERS), note: "" }]
  const record = asRecord(item)
  const text = firstText(record, TEXT_FIELDS)
  if (text === undefined) return []
  const note = record["isChanged"] === true ? "changed" : (firstText(record, NOTE_FIELDS) ?? "")
  return [{ text, note }]
}

function firstText(
  record: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): string | undefined {
  for (const field of fields) {
    const value = Object.hasOwn(record, field) ? record[field] : undefined
    if (typeof value === "string" && value !== "") return truncate(value, PAUSE_LINE_CHARACTERS)
  }
  return undefined
}
