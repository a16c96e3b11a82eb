import { describe, expect, it } from "vitest"
import { OPERATIONS } from "#ground/contract"
import { checkDraft, NO_DRAFT, problemsOf } from "./draft.ts"

const DRAFT = { ...NO_DRAFT, title: " Round on the line ", body: "Half to even." }
const refusal = (code: string, data: object) => ({ code, message: "No.", hint: "", data })

describe("a memory that is added by hand", () => {
  it("[CONSOLE-44] what is left empty is left out, and the contract takes the rest", () => {
    const checked = checkDraft(DRAFT)
    expect(checked).toEqual({
      kind: "right",
      input: { kind: "rule", title: "Round on the line", body: "Half to even." },
    })
    const whole = checkDraft({
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

  it("[CONSOLE-44] a title and a text are needed, and no more citations than are kept", () => {
    const cites = Array.from({ length: 21 }, (_, i) => `src/${i}.ts`).join("\n")
    expect(checkDraft({ ...NO_DRAFT, title: "  ", cites })).toEqual({
      kind: "wrong",
      problems: {
        title: "It needs a title.",
        body: "It needs a text.",
        cites: "At most 20, these are 21.",
      },
    })
  })

  it("[CONSOLE-44] a refusal stands beside the field it is about", () => {
    expect(problemsOf(refusal("MEMORY_TEXT_TOO_LONG", { field: "title" }))).toEqual({
      title: "No.",
    })
    expect(problemsOf(refusal("MEMORY_CITE_UNKNOWN", { cite: "x" }))).toEqual({ cites: "No." })
    expect(problemsOf(refusal("MEMORY_OWN_TEXT", {}))).toEqual({ body: "No." })
    expect(problemsOf(refusal("MEMORY_FULL", {}))).toEqual({})
    expect(problemsOf(refusal("MEMORY_INVALID_INPUT", { field: "other" }))).toEqual({})
  })
})
