import { expect, test } from "vitest"
import { PipelineDocument } from "#ground/contract"
import { Answer, type Scores } from "../outputs.ts"
import { recordEffects, stageInput } from "../stage-input.fixture.ts"
import { documentStage } from "./document.ts"

const common = { title: "Tariff", tier: "primary", isPrior: false } as const
const references = [
  { ...common, label: "P1", citation: "Tariff § 1", text: "x", paragraph: "a.1", url: null },
  { ...common, label: "P2", citation: "Tariff § 2", text: "y", paragraph: "a.2", url: null },
  {
    ...common,
    label: "W1",
    title: "A <page>",
    citation: "A <page>",
    text: "z",
    paragraph: null,
    url: "https://harbour.example/1",
    tier: "web",
  },
]
const answer = {
  title: "Dues",
  shortAnswer: "Dues are paid once [P2].",
  keyPoints: ["Once a call [P2]."],
  sections: [{ title: "Elsewhere", text: "Elsewhere too (W1). And nobody knows [P9]." }],
  references,
}
const scores: Scores = {
  scores: { "citation accuracy": 0.5, contradictions: 0 },
  bars: { "citation accuracy": 0.75, contradictions: 0 },
  isPassed: false,
  by: "words",
  failures: [],
}
const plan = { subQueries: [{ question: "When are dues paid?", why: "", target: "" }] }

function writing(outputs: Readonly<Record<string, unknown>>, effects = recordEffects(() => "")) {
  return documentStage()(stageInput({ stage: { kind: "document" }, outputs, effects }))
}

test("a document has the short answer, key points, sections, references and details in this order", async () => {
  const { output } = await writing({ plan, answer, verify: { ...scores, isPassed: true } })
  expect(output).toHaveProperty("markdown", expect.any(String))
  const { markdown } = PipelineDocument.partial().parse(output)
  expect(markdown).toMatchInlineSnapshot(`
    "# Dues

    Dues are paid once [P2].

    ## Key points

    - Once a call [P2].

    ## Elsewhere

    Elsewhere too [W1]. And nobody knows.

    ## References

    - [P2] Tariff § 2
    - [W1] A page <https://harbour.example/1>

    ## Details

    ### Questions

    1. When are dues paid?

    ### Verification

    | verification | score | needed |
    |---|---|---|
    | citation accuracy | 0.50 | at least 0.75 |
    | contradictions | 0 | at most 0 |

    Checked by words.
    "
  `)
})

test("a document whose verification did not pass starts with that statement", async () => {
  const { output } = await writing({ answer, verify: scores })
  const { markdown = "" } = PipelineDocument.partial().parse(output)
  expect(markdown.split("\n")[2]).toBe(
    "> Verification did not pass: citation accuracy. Check the statements against the sources.",
  )
  expect(output).toMatchObject({ isPartial: true })
})

test("a document starts with the parts without results and with what was not verified", async () => {
  const retrieve = { paragraphs: [], notFound: ["When are <dues> paid?", "By whom?"] }
  const verify = { scores: {}, bars: {}, isPassed: false, by: "nobody", failures: [] }
  const { output } = await writing({ retrieve, answer, verify })
  const { markdown = "" } = PipelineDocument.partial().parse(output)
  expect(markdown.split("\n").slice(2, 5)).toEqual([
    "> Nothing was found for: When are dues paid? · By whom?",
    "",
    "> Nothing was verified: there are no sources to check against.",
  ])
  expect(markdown).not.toContain("| verification |")
  expect(output).toMatchObject({ isPartial: true })
})

test("references list each used label once, in order of first use", async () => {
  const effects = recordEffects(() => "")
  const { output } = await writing({ answer }, effects)
  expect(Answer.parse(output).references.map((it) => it.label)).toEqual(["P2", "W1"])
  const parsed = PipelineDocument.shape.references.parse(Answer.parse(output).references)
  expect(parsed[1]).toMatchObject({ url: "https://harbour.example/1", paragraph: null })
  expect(effects.seen).toMatchObject([{ what: "note", tool: "Document written" }])
})

test("without sections the document has the output of each stage", async () => {
  const { output } = await writing({ first_look: { text: "It is so." }, other: { steps: [] } })
  expect(output).toMatchObject({ sections: [{ title: "first look", text: "It is so." }] })
})

test("[PIPE-80] the document's own words are in the recipe's language, else in English", async () => {
  const outputs = { plan, answer, verify: scores }
  const markdownIn = async (language: string) => {
    const input = stageInput({ stage: { kind: "document" }, outputs, settings: { language } })
    return PipelineDocument.partial().parse((await documentStage()(input)).output).markdown
  }
  const german = await markdownIn("de-CH")
  expect(german).toContain("## Kernpunkte")
  expect(german).toContain("> Die Prüfung wurde nicht bestanden: Richtige Zitate.")
  expect(german).not.toContain("citation accuracy")
  expect(german).not.toContain("## Key points")
  expect(await markdownIn("ja")).toContain("## Key points")
})
