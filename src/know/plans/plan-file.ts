import { sliceFrontMatter } from "#ground/base"
import { type Plan, PlanStatus } from "#ground/contract"

const MAX_HEAD_UNITS = 16_000

export type PlanFields = Omit<Plan, "file" | "isArchived" | "id">

/** A plan as a file that people can read and edit: a header, the text, and steps as checkboxes. */
export function planText(plan: PlanFields, text: string): string {
  const body = text.trim() === "" ? "" : `${text.trim()}\n\n`
  const steps = plan.steps.map(stepLine).join("\n")
  return `---\n${headOf(plan)}---\n\n# ${inOneLine(plan.title)}\n\n${body}## Steps\n\n${steps}\n`
}

function headOf(plan: PlanFields): string {
  const fields = {
    title: plan.title,
    status: plan.status,
    session: plan.session,
    submitted: isoOf(plan.submittedAt),
    answered: isoOf(plan.answeredAt),
    by: plan.answeredBy,
    feedback: plan.feedback,
  }
  return Object.entries(fields)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join("")
}

function stepLine(step: Plan["steps"][number]): string {
  return `- [${step.isDone ? "x" : " "}] ${inOneLine(step.text)}`
}

type ParsedPlan =
  | { readonly kind: "plan"; readonly plan: PlanFields }
  | { readonly kind: "invalid"; readonly problem: string }

export function parsePlan(text: string): ParsedPlan {
  const parts = sliceFrontMatter(text, MAX_HEAD_UNITS)
  if (parts === undefined) return invalid("it has no header between two lines of ---")
  const head = new Map(parts.head.split(/\r?\n/).flatMap(fieldOf))
  const status = PlanStatus.safeParse(head.get("status"))
  if (!status.success) return invalid("its status is not waiting, approved, rejected or done")
  const submittedAt = Date.parse(head.get("submitted") ?? "")
  if (Number.isNaN(submittedAt)) return invalid("its field submitted is not a time")
  const answeredAt = Date.parse(head.get("answered") ?? "")
  return {
    kind: "plan",
    plan: {
      title: head.get("title") ?? "",
      status: status.data,
      session: head.get("session") ?? null,
      submittedAt,
      answeredAt: Number.isNaN(answeredAt) ? null : answeredAt,
      answeredBy: head.get("by") ?? null,
      feedback: head.get("feedback") ?? null,
      steps: stepsIn(parts.body),
    },
  }
}

function invalid(problem: string): ParsedPlan {
  return { kind: "invalid", problem }
}

/** A JSON string, or plain text that a person wrote. */
function fieldOf(line: string): readonly (readonly [string, string])[] {
  const colon = line.indexOf(":")
  return colon < 1 ? [] : [[line.slice(0, colon).trim(), unquoted(line.slice(colon + 1).trim())]]
}

function unquoted(written: string): string {
  if (!written.startsWith('"')) return written
  try {
    const value: unknown = JSON.parse(written)
    return typeof value === "string" ? value : written
  } catch {
    return written
  }
}

const STEP = /^[-*] \[([ xX])\] ([^\n]*)$/

/** Checkboxes below the last heading "Steps"; the text above may have lists of its own. */
function stepsIn(body: string): Plan["steps"] {
  const lines = body.split("\n")
  const from = lines.lastIndexOf("## Steps")
  const boxes = lines.slice(from + 1).flatMap((line) => {
    const [, mark, text = ""] = STEP.exec(line) ?? []
    return mark === undefined ? [] : [{ text, isDone: mark !== " " }]
  })
  return boxes.map((it, at) => ({ number: at + 1, ...it }))
}

/** Changes only the marks of these steps. */
export function withTicks(text: string, numbers: ReadonlySet<number>, isDone: boolean): string {
  const lines = text.split("\n")
  const from = lines.findLastIndex((it) => it.trimEnd() === "## Steps")
  let number = 0
  const changed = lines.map((line, at) => {
    if (at <= from || !STEP.test(line.trimEnd())) return line
    number += 1
    return numbers.has(number) ? line.replace(/\[[ xX]\]/, isDone ? "[x]" : "[ ]") : line
  })
  return changed.join("\n")
}

/** Replaces the fields of the header that we write; everything else stays. */
export function withFields(text: string, fields: Readonly<Record<string, string>>): string {
  const parts = sliceFrontMatter(text, MAX_HEAD_UNITS)
  if (parts === undefined) return text
  const otherLines = parts.head
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !Object.hasOwn(fields, line.split(":")[0] ?? ""))
  const added = Object.entries(fields).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  const head = [...otherLines, ...added].map((it) => `${it}${parts.newline}`).join("")
  return `${parts.opening}${head}${parts.rest}`
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim()
}
