import { formatUsd } from "#ground/base/format"
import { type PipelineEvent, plural } from "../../contract.ts"

type Body = PipelineEvent["body"]
type BodyOf<Type extends Body["type"]> = Extract<Body, { type: Type }>
type Substep = BodyOf<"substep">

export type Activity = {
  readonly kind: "activity"
  readonly key: string
  readonly id: string
  readonly at: number
  readonly tool: string
  readonly what: Substep["kind"]
  readonly title: string
  readonly outcome: NonNullable<Substep["outcome"]> | null
  readonly tokens: number | null
  readonly durationMs: number | null
  readonly usd: number | null
  readonly detail: string
  readonly text: string
}

export type Note = {
  readonly kind: "note"
  readonly key: string
  readonly at: number
  readonly title: string
  readonly description: string
  readonly tone: "bad" | "warn" | null
}

export type Item = Activity | Note

export type Section = {
  /** Stage and attempt: 3.2 is the second attempt of stage 3. */
  readonly key: string
  readonly stage: number
  /** From 1, and the number of rounds so far. */
  readonly round: number
  readonly rounds: number
  readonly iteration: number
  readonly attempts: number
  readonly startedAt: number
  readonly endedAt: number | null
  readonly summary: string | null
  readonly isCarried: boolean
  readonly isSkipped: boolean
  readonly problems: readonly string[]
  readonly answer: string
  readonly items: readonly Item[]
}

type MessageReply = { readonly key: string; readonly message: string; readonly answer: string }

export type PipelineSections = {
  readonly sections: readonly Section[]
  readonly talk: readonly MessageReply[]
}

type SectionDraft = { -readonly [Field in keyof Omit<Section, "items">]: Section[Field] } & {
  items: Item[]
}
type StoryDraft = { sections: SectionDraft[]; talk: MessageReply[] }

export function buildSections(events: readonly PipelineEvent[]): PipelineSections {
  const story: StoryDraft = { sections: [], talk: [] }
  for (const event of events) take(story, event)
  for (const section of story.sections) {
    section.rounds = story.sections.filter((it) => it.stage === section.stage).length
  }
  return story
}

function take(story: StoryDraft, event: PipelineEvent): void {
  const { body, at, seq } = event
  switch (body.type) {
    case "run_started":
    case "run_completed":
    case "pause_requested":
    case "breakout":
      return
    case "stage_started":
      begin(story, body, at)
      return
    case "substep":
      substep(sectionOf(story, body.stage, at), body, at)
      return
    case "llm_called":
      called(sectionOf(story, body.stage, at), body, at)
      return
    case "stage_output":
      endStage(sectionOf(story, body.stage, at), body, at)
      return
    case "said":
      story.talk.push({ key: `message ${seq}`, message: body.message, answer: body.answer })
      return
    default:
      takeNote(story, body, event)
  }
}

type NoteBody = Exclude<
  Body,
  {
    type:
      | "run_started"
      | "run_completed"
      | "pause_requested"
      | "breakout"
      | "stage_started"
      | "substep"
      | "llm_called"
      | "stage_output"
      | "said"
  }
>

function takeNote(story: StoryDraft, body: NoteBody, { at, seq }: PipelineEvent): void {
  const section = sectionFor(story, body, at)
  if (body.type === "validation_failed") section.problems = body.problems
  if (body.type === "resumed") section.answer = "you continued"
  if (body.type === "amended") section.answer = "you requested a change"
  if (body.type === "skipped") {
    section.isSkipped = true
    section.endedAt = at
  }
  const note = noteOf(body)
  if (note !== undefined) section.items.push({ kind: "note", key: `note-${seq}`, at, ...note })
}

function sectionFor(story: StoryDraft, body: NoteBody, at: number): SectionDraft {
  const last = story.sections.at(-1)
  const stage = "stage" in body && body.stage !== null ? body.stage : (last?.stage ?? 0)
  return sectionOf(story, stage, at)
}

type NoteWords = Pick<Note, "title" | "description" | "tone">

function noteOf(body: NoteBody): NoteWords | undefined {
  switch (body.type) {
    case "validation_failed":
      return { ...plainNote("Check failed", body.feedback), tone: "bad" }
    case "repair_started":
      // The next attempt shows that it is one, and the problem is listed above.
      return undefined
    case "resumed":
      return body.note === undefined ? undefined : plainNote("Continued", body.note)
    case "amended":
      return plainNote("Requested change", body.text)
    case "skipped":
      return plainNote("Skipped", body.reason)
    case "breakout_pending":
      return plainNote("Requested exit", body.message)
    case "budget_warned":
      return { ...plainNote("Budget", `${formatBudget(body)}, 80 % used`), tone: "warn" }
    case "budget_exceeded":
      return { ...plainNote("Budget", `${formatBudget(body)}, no more calls`), tone: "bad" }
    case "error":
      return { title: body.message, description: `${body.hint} ${body.code}`.trim(), tone: "bad" }
    default:
      return body satisfies never
  }
}

const plainNote = (title: string, description: string): NoteWords => ({
  title,
  description,
  tone: null,
})

function formatBudget({ scope, spentUsd, budgetUsd }: BodyOf<"budget_warned" | "budget_exceeded">) {
  const whose = scope === "run" ? "the run" : scope
  return `${formatUsd(spentUsd)} of ${formatUsd(budgetUsd)} for ${whose}`
}

function begin(story: StoryDraft, { stage, iteration }: BodyOf<"stage_started">, at: number) {
  const last = story.sections.at(-1)
  if (last?.stage === stage && last.endedAt === null && last.iteration === iteration) {
    last.attempts++
    // An interrupted activity never gets an end.
    last.items = last.items.map((it) =>
      it.kind === "activity" && it.outcome === null ? { ...it, outcome: "stopped" } : it,
    )
    return
  }
  open(story, { stage, iteration, at })
}

function endStage(section: SectionDraft, body: BodyOf<"stage_output">, at: number): void {
  section.summary = body.summary
  section.isCarried = body.isCarried
  section.endedAt = at
}

type StageStart = { readonly stage: number; readonly iteration: number; readonly at: number }

function open(story: StoryDraft, { stage, iteration, at }: StageStart): SectionDraft {
  const round = story.sections.filter((it) => it.stage === stage).length + 1
  const section: SectionDraft = {
    key: `${stage}.${round}`,
    stage,
    round,
    rounds: round,
    iteration,
    attempts: 1,
    startedAt: at,
    endedAt: null,
    summary: null,
    isCarried: false,
    isSkipped: false,
    problems: [],
    answer: "",
    items: [],
  }
  story.sections.push(section)
  return section
}

/** The latest attempt of a stage; a reused or skipped stage never started. */
function sectionOf(story: StoryDraft, stage: number, at: number): SectionDraft {
  const section = story.sections.findLast((it) => it.stage === stage)
  return section ?? open(story, { stage, iteration: 0, at })
}

function substep(section: SectionDraft, body: Substep, at: number): void {
  const activity = find(section, body.activityId)
  const isOver = body.phase === "ended"
  put(section, {
    kind: "activity",
    key: body.activityId,
    id: body.activityId,
    at: activity?.at ?? at,
    tool: body.tool,
    what: body.kind,
    title: body.title,
    outcome: isOver ? (body.outcome ?? "done") : null,
    tokens: body.tokens ?? activity?.tokens ?? null,
    durationMs: body.durationMs ?? activity?.durationMs ?? null,
    usd: body.usd ?? activity?.usd ?? null,
    detail: body.detail ?? activity?.detail ?? "",
    text: activity?.text ?? "",
  })
}

function called(section: SectionDraft, body: BodyOf<"llm_called">, at: number): void {
  const activity = find(section, body.activityId)
  const { input, output, cacheRead, cacheWrite } = body.usage
  const retried = body.retries === 0 ? "" : `, ${plural(body.retries, "retry", "retries")}`
  put(section, {
    kind: "activity",
    key: body.activityId,
    id: body.activityId,
    at: activity?.at ?? at,
    tool: activity?.tool ?? "LLM Analysis",
    what: activity?.what ?? "other",
    title: activity?.title ?? body.model,
    outcome: activity?.outcome ?? "done",
    tokens: input + output + cacheRead + cacheWrite,
    durationMs: body.durationMs,
    usd: body.usd,
    detail: `${body.model}${retried}`,
    text: body.text,
  })
}

function find({ items }: SectionDraft, id: string): Activity | undefined {
  return items.filter((it) => it.kind === "activity").find((it) => it.id === id)
}

function put(section: SectionDraft, activity: Activity): void {
  const index = section.items.findIndex((it) => it.key === activity.key)
  if (index < 0) section.items.push(activity)
  else section.items[index] = activity
}
