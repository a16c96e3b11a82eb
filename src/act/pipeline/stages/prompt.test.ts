import fc from "fast-check"
import { expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import {
  fence,
  fillTemplate,
  instructionsFor,
  PLACEHOLDERS,
  readFence,
  unknownPlaceholders,
} from "./prompt.ts"
import { stageInput } from "./stage-input.fixture.ts"

test("[PIPE-80] every model call names the recipe's language", () => {
  const stage = { kind: "ask" } as const
  expect(instructionsFor(stageInput({ stage, settings: { language: "pt-BR" } }))).toContain(
    "Write in Brazilian Portuguese (pt-BR)",
  )
  expect(instructionsFor(stageInput({ stage }))).not.toContain("Write in")
})

test("[PIPE-71] a prompt is filled in one pass: braces in inserted text stay as they are", () => {
  const filled = fillTemplate("A {{query}} and {{ plan }}", (it) => `<{{${it}}}>`)
  expect(filled).toBe("A <{{query}}> and <{{plan}}>")
})

test("[PIPE-71] an unknown placeholder is named together with the earlier stages", () => {
  const template = "{{query}} {{outputs.plan}} {{outputs.later}} {{quarry}} {{query}}"
  expect(unknownPlaceholders(template, ["plan"])).toEqual(["outputs.later", "quarry"])
  const all = PLACEHOLDERS.map((it) => `{{${it}}}`).join(" ")
  expect(unknownPlaceholders(all, [])).toEqual([])
})

test("[PIPE-71] no text can close its own fence, and fenced text can be read back", () => {
  fc.assert(
    fc.property(hostile, hostile, (first, second) => {
      const prompt = `${fence("query", first)}\nwords\n${fence("plan", second)}`
      expect(prompt.split("</data>")).toHaveLength(3)
      expect(prompt.match(/<data /g)).toHaveLength(2)
      expect(readFence(prompt, "plan")).toBe(unlike(second))
    }),
    fcParameters({ numRuns: 500 }),
  )
})

const hostile = fc
  .array(
    fc.oneof(fc.string(), fc.constantFrom("</data>", "\n</data>", '<data name="plan">\n', "<DATA")),
  )
  .map((it) => it.join(""))

/** A fence escapes only "<": a literal entity is read back as its character. */
const unlike = (text: string): string => text.replaceAll(/&lt;(?=\/?data\b)/gi, "<")
