import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { checkDecision, checkMemory, NO_DECISION, NO_MEMORY, problemsOf } from "./draft.ts"

const DRAFT = { ...NO_MEMORY, title: " Round on the line ", body: "Half to even." }
const DECISION = {
  ...NO_DECISION,
  title: " Round ",
  context: "Totals differed.",
  decision: "Even.",
}
const refusal = (code: string, data: object) => ({ code, message: "No.", hint: "", data })

describe("form for a new memory", () => {
  it("empty fields are omitted, and the input matches the contract", () => {
    const checked = checkMemory(DRAFT)
    expect(checked).toEqual({
      kind: "right",
      input: { kind: "rule", title: "Round on the line", body: "Half to even." },
    })
    const whole = checkMemory({
      ...DRAFT,
      kind: "fix",
      description: "One line",
      cites: " src/a.ts#b \n\nsrc/c.ts\n",
      isUntrusted: true,
    })
    expect(whole).toMatchObject({
      input: { cites: ["src/a.ts#b", "src/c.ts"], untrusted: true, description: "One line" },
    })
    if (whole.kind === "right") OPERATIONS["memory.record"].input.parse(whole.input)
  })

  it("title and text are required, and the number of citations is limited", () => {
    const cites = Array.from({ length: 21 }, (_, i) => `src/${i}.ts`).join("\n")
    expect(checkMemory({ ...NO_MEMORY, title: "  ", cites })).toEqual({
      kind: "wrong",
      problems: {
        title: "A title is required.",
        body: "A text is required.",
        cites: "At most 20 citations; you entered 21.",
      },
    })
  })

  it("a server error is shown beside the field it is about", () => {
    expect(problemsOf(refusal("MEMORY_TEXT_TOO_LONG", { field: "title" }), DRAFT)).toEqual({
      title: "No.",
    })
    expect(problemsOf(refusal("MEMORY_CITE_UNKNOWN", { cite: "x" }), DRAFT)).toEqual({
      cites: "No.",
    })
    expect(problemsOf(refusal("MEMORY_OWN_TEXT", {}), DRAFT)).toEqual({ body: "No." })
    expect(problemsOf(refusal("MEMORY_FULL", {}), DRAFT)).toEqual({})
    expect(problemsOf(refusal("MEMORY_INVALID_INPUT", { field: "other" }), DRAFT)).toEqual({})
  })
})

describe("form for a new decision", () => {
  it("empty fields are omitted, and the input matches the contract", () => {
    expect(checkDecision(DECISION)).toEqual({
      kind: "right",
      input: { title: "Round", context: "Totals differed.", decision: "Even." },
    })
    const cites = " src/a.ts#b \n\nsrc/c.ts\n"
    const whole = checkDecision({ ...DECISION, consequences: "Re-send.", cites })
    expect(whole).toMatchObject({
      input: { consequences: "Re-send.", cites: ["src/a.ts#b", "src/c.ts"] },
    })
    if (whole.kind === "right") OPERATIONS["decision.add"].input.parse(whole.input)
  })

  it("title, context and decision are required", () => {
    const cites = Array.from({ length: 21 }, (_, i) => `src/${i}.ts`).join("\n")
    expect(checkDecision({ ...NO_DECISION, title: " ", cites })).toEqual({
      kind: "wrong",
      problems: {
        title: "A title is required.",
        context: "A context is required.",
        decision: "A decision is required.",
        cites: "At most 20 citations; you entered 21.",
      },
    })
  })

  it("a server error is shown beside the field it is about", () => {
    expect(problemsOf(refusal("MEMORY_TEXT_TOO_LONG", { field: "title" }), DECISION)).toEqual({
      title: "No.",
    })
    expect(problemsOf(refusal("MEMORY_CITE_UNKNOWN", {}), DECISION)).toEqual({ cites: "No." })
    expect(problemsOf(refusal("MEMORY_FULL", {}), DECISION)).toEqual({})
    expect(problemsOf(refusal("MEMORY_INVALID_INPUT", { field: "other" }), DECISION)).toEqual({})
  })
})
