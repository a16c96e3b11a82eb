import { isRecord } from "#ground/base"
import type { StageInput, StageWork } from "../stage.ts"
import {
  Answer,
  countOf,
  findOutput,
  Gaps,
  Plan,
  type Reference,
  Scores,
  type SubQuery,
} from "./outputs.ts"
import { labelAnswer } from "./post-process.ts"

export function documentStage(): StageWork {
  return async (input) => {
    const draft = findOutput(input.outputs, Answer) ?? plainAnswer(input)
    const { answer, ...labels } = finish(draft, input.query)
    const scores = findOutput(input.outputs, Scores)
    const plan = findOutput(input.outputs, Plan)?.subQueries ?? []
    const notFound = findOutput(input.outputs, Gaps)?.notFound ?? []
    const markdown = renderDocument({ answer, scores, plan, notFound })
    const summary = lineOf(answer, labels)
    await input.effects.note("document", { tool: "Document written", kind: "edit", title: summary })
    const isPartial = scores?.isPassed === false
    // Includes the structured answer, because a later run builds on sections, not on Markdown.
    return { output: { ...answer, markdown, isPartial, scores: scores?.scores ?? {} }, summary }
  }
}

/** A recipe may have an answer that no model wrote; the labels of the others are complete. */
function finish(draft: Answer, query: string) {
  const { answer, used, added, dropped } = labelAnswer(draft)
  const title = draft.title === "" ? query : draft.title
  const references = used.flatMap((it) => draft.references.find(({ label }) => label === it) ?? [])
  return { answer: { ...answer, title, references }, added, dropped }
}

type Labels = { readonly added: number; readonly dropped: readonly string[] }

function lineOf({ sections, references }: Answer, { added, dropped }: Labels): string {
  const parts = [
    countOf(sections, ["section", "sections"]),
    countOf(references, ["reference", "references"]),
    added > 0 ? `${added} labels added` : undefined,
    dropped.length > 0 ? `${dropped.length} unknown labels dropped` : undefined,
  ]
  return parts.filter((it) => it !== undefined).join(", ")
}

/** For stages without sections: the output of each, under its title. */
function plainAnswer(input: StageInput): Answer {
  const sections = Object.entries(input.outputs).flatMap(([stage, output]) => {
    const text = isRecord(output) && typeof output["text"] === "string" ? output["text"] : undefined
    return text === undefined ? [] : [{ title: stage.replaceAll("_", " "), text }]
  })
  return { title: "", shortAnswer: "", keyPoints: [], sections, references: [] }
}

type Parts = {
  readonly answer: Answer
  readonly scores: Scores | undefined
  readonly plan: readonly SubQuery[]
  readonly notFound: readonly string[]
}

function renderDocument(parts: Parts): string {
  const { title, shortAnswer, keyPoints, sections, references } = parts.answer
  const blocks = [
    `# ${plain(title)}`,
    missing(parts.notFound),
    unverified(parts.scores),
    shortAnswer,
    block("## Key points", bullets(keyPoints)),
    ...sections.map((it) => block(`## ${plain(it.title)}`, it.text)),
    block("## References", references.map(reference).join("\n")),
    block("## Details", details(parts)),
  ]
  return `${blocks.filter((it) => it !== "").join("\n\n")}\n`
}

/** Precedes the answer, so that the reader knows what is missing from it. */
function missing(notFound: readonly string[]): string {
  if (notFound.length === 0) return ""
  return `> Nothing was found for: ${notFound.map((it) => plain(it)).join(" · ")}`
}

function unverified(scores: Scores | undefined): string {
  if (scores?.notApplicable !== undefined)
    return `> Verification is not applicable: ${scores.notApplicable}.`
  if (scores === undefined || scores.isPassed) return ""
  if (Object.keys(scores.scores).length === 0) {
    return "> Nothing was verified: there are no sources to check against."
  }
  const failed = Object.keys(scores.scores).filter((it) => isBelow(it, scores))
  return `> Verification did not pass: ${failed.join(", ")}. Check the statements against the sources.`
}

function isBelow(check: string, { scores, bars }: Scores): boolean {
  const [score, bar] = [scores[check] ?? 0, bars[check] ?? 0]
  return check === "contradictions" ? score > bar : score < bar
}

function details({ scores, plan, notFound }: Parts): string {
  const notes = notFound.map((it) => `Nothing was found for: ${plain(it)}`)
  const questions = plan.map((it, index) => `${index + 1}. ${plain(it.question)}`).join("\n")
  return [block("### Questions", questions), scoreTable(scores), block("### Gaps", bullets(notes))]
    .filter((it) => it !== "")
    .join("\n\n")
}

function scoreTable(scores: Scores | undefined): string {
  if (scores === undefined || Object.keys(scores.scores).length === 0) return ""
  const rows = Object.entries(scores.scores).map(([name, score]) => {
    const bar = scores.bars[name] ?? 0
    const needed = name === "contradictions" ? `at most ${bar}` : `at least ${bar.toFixed(2)}`
    const value = name === "contradictions" ? String(score) : score.toFixed(2)
    return `| ${name} | ${value} | ${needed} |`
  })
  const head = "| verification | score | needed |\n|---|---|---|"
  return block("### Verification", `${head}\n${rows.join("\n")}\n\nChecked by ${scores.by}.`)
}

function reference({ label, title, citation, url, isPrior }: Reference): string {
  const where = citation === title ? plain(title) : `${plain(citation)} (${plain(title)})`
  const link = url === null ? "" : ` <${url.replaceAll(/[\s<>]/g, "")}>`
  return `- [${label}] ${where}${link}${isPrior ? ", from the earlier answer" : ""}`
}

const block = (head: string, text: string): string => (text === "" ? "" : `${head}\n\n${text}`)

const bullets = (lines: readonly string[]): string => lines.map((it) => `- ${it}`).join("\n")

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[<>]/g, "").trim()
}
