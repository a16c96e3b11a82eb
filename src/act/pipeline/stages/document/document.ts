import { isRecord } from "#ground/base"
import type { StageInput, StageWork } from "../../stage.ts"
import {
  Answer,
  countOf,
  findOutput,
  Gaps,
  Plan,
  type Reference,
  Scores,
  type SubQuery,
} from "../outputs.ts"
import { type DocumentWords, documentWords } from "./document-words.ts"
import { labelAnswer } from "./post-process.ts"

export function documentStage(): StageWork {
  return async (input) => {
    const draft = findOutput(input.outputs, Answer) ?? plainAnswer(input)
    const { answer, ...labels } = finish(draft, input.query)
    const scores = findOutput(input.outputs, Scores)
    const plan = findOutput(input.outputs, Plan)?.subQueries ?? []
    const notFound = findOutput(input.outputs, Gaps)?.notFound ?? []
    const words = documentWords(input.settings.language)
    const markdown = renderDocument({ answer, scores, plan, notFound, words })
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
  readonly words: DocumentWords
}

function renderDocument(parts: Parts): string {
  const { title, shortAnswer, keyPoints, sections, references } = parts.answer
  const { words } = parts
  const blocks = [
    `# ${plain(title)}`,
    missing(parts),
    unverified(parts),
    shortAnswer,
    block(`## ${words.keyPoints}`, bullets(keyPoints)),
    ...sections.map((it) => block(`## ${plain(it.title)}`, it.text)),
    block(`## ${words.references}`, references.map((it) => reference(it, words)).join("\n")),
    block(`## ${words.details}`, details(parts)),
  ]
  return `${blocks.filter((it) => it !== "").join("\n\n")}\n`
}

/** Precedes the answer, so that the reader knows what is missing from it. */
function missing({ notFound, words }: Parts): string {
  if (notFound.length === 0) return ""
  return `> ${words.notFound}: ${notFound.map((it) => plain(it)).join(" · ")}`
}

function unverified({ scores, words }: Parts): string {
  if (scores?.notApplicable !== undefined)
    return `> ${words.notApplicable}: ${scores.notApplicable}.`
  if (scores === undefined || scores.isPassed) return ""
  if (Object.keys(scores.scores).length === 0) return `> ${words.nothingVerified}`
  const failed = Object.keys(scores.scores).filter((it) => isBelow(it, scores))
  return `> ${words.notPassed}: ${failed.map((it) => nameIn(words, it)).join(", ")}. ${words.checkSources}`
}

function isBelow(check: string, { scores, bars }: Scores): boolean {
  const [score, bar] = [scores[check] ?? 0, bars[check] ?? 0]
  return check === "contradictions" ? score > bar : score < bar
}

function details({ scores, plan, notFound, words }: Parts): string {
  const notes = notFound.map((it) => `${words.notFound}: ${plain(it)}`)
  const questions = plan.map((it, index) => `${index + 1}. ${plain(it.question)}`).join("\n")
  return [
    block(`### ${words.questions}`, questions),
    scoreTable(scores, words),
    block(`### ${words.gaps}`, bullets(notes)),
  ]
    .filter((it) => it !== "")
    .join("\n\n")
}

function scoreTable(scores: Scores | undefined, words: DocumentWords): string {
  if (scores === undefined || Object.keys(scores.scores).length === 0) return ""
  const rows = Object.entries(scores.scores).map(([name, score]) => {
    const bar = scores.bars[name] ?? 0
    const needed =
      name === "contradictions" ? `${words.atMost} ${bar}` : `${words.atLeast} ${bar.toFixed(2)}`
    const value = name === "contradictions" ? String(score) : score.toFixed(2)
    return `| ${nameIn(words, name)} | ${value} | ${needed} |`
  })
  const head = `| ${words.scoreColumns.join(" | ")} |\n|---|---|---|`
  const by = `${words.checkedBy} ${nameIn(words, scores.by)}.`
  return block(`### ${words.verification}`, `${head}\n${rows.join("\n")}\n\n${by}`)
}

function nameIn({ names }: DocumentWords, name: string): string {
  return names[name] ?? name
}

function reference(
  { label, title, citation, url, isPrior }: Reference,
  words: DocumentWords,
): string {
  const hasTitle = citation.startsWith(title)
  const where = hasTitle ? plain(citation) : `${plain(citation)} (${plain(title)})`
  const link = url === null ? "" : ` <${url.replaceAll(/[\s<>]/g, "")}>`
  return `- [${label}] ${where}${link}${isPrior ? `, ${words.fromEarlier}` : ""}`
}

const block = (head: string, text: string): string => (text === "" ? "" : `${head}\n\n${text}`)

const bullets = (lines: readonly string[]): string => lines.map((it) => `- ${it}`).join("\n")

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[<>]/g, "").trim()
}
