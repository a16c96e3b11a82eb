import { MOST_EVIDENCE_CHARACTERS, MOST_FEEDBACK_SENTENCES } from "./limits.ts"
import type { Scores } from "./outputs.ts"

/** What a repair is told: which verification failed, which sentences, what was read. */
export function feedbackOf(scores: Scores): {
  readonly problems: readonly string[]
  readonly feedback: string
} {
  const checks = Object.keys(scores.scores).filter((it) => hasFailed(it, scores))
  const problems = checks.map((it) => `${it} ${scores.scores[it]}, needed ${scores.bars[it]}`)
  const blocks = checks.map((check) => {
    const failures = scores.failures.filter((it) => it.check === check)
    const shown = failures.slice(0, MOST_FEEDBACK_SENTENCES).map(describe)
    const more = failures.length - shown.length
    const rest = more > 0 ? [`And ${more} more sentences of this kind.`] : []
    return [headline(check, scores), ...shown, ...rest].join("\n")
  })
  return { problems, feedback: blocks.join("\n\n") }
}

function hasFailed(check: string, { scores, bars }: Scores): boolean {
  const score = scores[check] ?? 0
  const bar = bars[check] ?? 0
  return check === "contradictions" ? score > bar : score < bar
}

function headline(check: string, { scores, bars }: Scores): string {
  const most = check === "contradictions" ? "at most" : "at least"
  return `${check}: ${scores[check]} where ${most} ${bars[check]} is needed.`
}

type Failure = Scores["failures"][number]

function describe({ sentence, problem, evidence }: Failure): string {
  const read = evidence.slice(0, MOST_EVIDENCE_CHARACTERS).replaceAll(/\s+/g, " ")
  return [
    `${SENTENCE}${sentence.replaceAll(/\s+/g, " ")}`,
    `  Problem: ${problem}`,
    `  Evidence read: ${read === "" ? "none" : read}`,
  ].join("\n")
}

const SENTENCE = "- Sentence: "

/** The sentences a feedback names, for whoever repairs by leaving them out. */
export function sentencesNamed(feedback: string): readonly string[] {
  return feedback
    .split("\n")
    .filter((it) => it.startsWith(SENTENCE))
    .map((it) => it.slice(SENTENCE.length).trim())
}
