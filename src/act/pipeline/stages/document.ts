import type { StageWork, StageWorld } from "../stage.ts"
import { renderDocument } from "./document-text.ts"
import { countOf } from "./lines.ts"
import { Answer, findOutput, Gaps, Plan, Scores, type Section } from "./outputs.ts"
import { postProcess } from "./post-process.ts"
import { isRecord } from "./records.ts"

/** The document of a run: short answer, key points, sections, references, then the details. */
export function documentStage(): StageWork {
  return async (world) => {
    const draft = findOutput(world.outputs, Answer) ?? plainAnswer(world)
    const { answer, ...labels } = finish(draft, world.query)
    const scores = findOutput(world.outputs, Scores)
    const plan = findOutput(world.outputs, Plan)?.subQueries ?? []
    const notFound = findOutput(world.outputs, Gaps)?.notFound ?? []
    const markdown = renderDocument({ answer, scores, plan, notFound })
    const summary = lineOf(answer, labels)
    await world.effects.note("document", { tool: "Document written", kind: "edit", title: summary })
    const isPartial = scores?.isPassed === false
    // With the answer beside the text: a later run builds on sections, not on markdown.
    return { output: { ...answer, markdown, isPartial, scores: scores?.scores ?? {} }, summary }
  }
}

/** The labels put right everywhere in one go: a reference is counted where it is first used. */
function finish(draft: Answer, query: string) {
  const parts: readonly Section[] = [
    { title: "Short answer", text: draft.shortAnswer },
    ...draft.keyPoints.map((text) => ({ title: "Key point", text })),
    ...draft.sections,
  ]
  const references = draft.references.map(({ label, text }) => ({ label, text }))
  const { sections, used, added, dropped } = postProcess({ sections: parts, references })
  const points = sections.slice(1, 1 + draft.keyPoints.length)
  const answer: Answer = {
    title: draft.title === "" ? query : draft.title,
    shortAnswer: sections[0]?.text ?? "",
    keyPoints: points.map((it) => it.text),
    sections: sections.slice(1 + draft.keyPoints.length),
    references: used.flatMap((it) => draft.references.find(({ label }) => label === it) ?? []),
  }
  return { answer, added, dropped }
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

/** Of stages that give no sections: what each of them said, under its name. */
function plainAnswer(world: StageWorld): Answer {
  const sections = Object.entries(world.outputs).flatMap(([stage, output]) => {
    const text = isRecord(output) && typeof output["text"] === "string" ? output["text"] : undefined
    return text === undefined ? [] : [{ title: stage.replaceAll("_", " "), text }]
  })
  return { title: "", shortAnswer: "", keyPoints: [], sections, references: [] }
}
