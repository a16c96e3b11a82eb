import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { checkDraft, NO_DRAFT, problemsOf } from "./draft.ts"

const DRAFT = { ...NO_DRAFT, title: " Round ", context: "Totals differed.", decision: "Even." }
const refusal = (code: string, data: object) => ({ code, message: "No.", hint: "", data })

describe("a decision that is added by hand", () => {
  it("[CONSOLE-50] what is left empty is left out, and the contract takes the rest", () => {
    expect(checkDraft(DRAFT)).toEqual({
      kind: "right",
      input: { title: "Round", context: "Totals differed.", decision: "Even." },
    })
    const cites = " src/a.ts#b \n\nsrc/c.ts\n"
    const whole = checkDraft({ ...DRAFT, consequences: "Re-send.", cites })
    expect(whole).toMatchObject({
      input: { consequences: "Re-send.", cites: ["src/a.ts#b", "src/c.ts"] },
    })
    if (whole.kind === "right") OPERATIONS["decision.add"].input.parse(whole.input)
  })

  it("[CONSOLE-50] title, what made it necessary and what was decided are needed", () => {
    const cites = Array.from({ length: 21 }, (_, i) => `src/${i}.ts`).join("\n")
    expect(checkDraft({ ...NO_DRAFT, title: " ", cites })).toEqual({
      kind: "wrong",
      problems: {
        title: "It needs a title.",
        context: "Say what made it necessary.",
        decision: "Say what was decided.",
        cites: "At most 20, these are 21.",
      },
    })
  })

  it("[CONSOLE-50] a refusal stands beside the field it is about", () => {
    expect(problemsOf(refusal("MEMORY_TEXT_TOO_LONG", { field: "title" }))).toEqual({
      title: "No.",
    })
    expect(problemsOf(refusal("MEMORY_CITE_UNKNOWN", {}))).toEqual({ cites: "No." })
    expect(problemsOf(refusal("MEMORY_FULL", {}))).toEqual({})
    expect(problemsOf(refusal("MEMORY_INVALID_INPUT", { field: "other" }))).toEqual({})
  })
})
