import { describe, expect, test } from "vitest"
import { SchemaInvalid } from "../errors.ts"
import { answerReader } from "./structured-answer.ts"

const PLAN = {
  type: "object",
  properties: {
    clarity: { type: "number", minimum: 0, maximum: 1 },
    kind: { type: "string", enum: ["simple", "complex"] },
    count: { type: "integer" },
    isSafe: { type: "boolean" },
    queries: {
      type: "array",
      minItems: 1,
      maxItems: 3,
      items: {
        type: "object",
        properties: { text: { type: "string", minLength: 1 }, note: { type: ["string", "null"] } },
        required: ["text"],
        additionalProperties: false,
      },
    },
  },
  required: ["clarity", "queries"],
}

const read = (value: unknown) => answerReader(PLAN, "plan")(JSON.stringify(value))
const fitting = { clarity: 0.5, queries: [{ text: "x" }] }

describe("answerReader", () => {
  test.each([
    ["all that is required", fitting],
    ["all there is", { ...fitting, kind: "simple", count: 2, isSafe: true }],
    ["a null where one is allowed", { clarity: 1, queries: [{ text: "x", note: null }] }],
    ["a field nobody asked for", { ...fitting, extra: 1 }],
  ])("[MODEL-6] accepts %s", (_, value) => {
    expect(read(value)).toEqual({ value, problem: undefined })
  })

  test.each([
    [
      "a missing field",
      { queries: [{ text: "x" }] },
      "clarity: expected number, received undefined",
    ],
    [
      "a word for a number",
      { ...fitting, clarity: "high" },
      "clarity: expected number, received string",
    ],
    [
      "a number too large",
      { ...fitting, clarity: 2 },
      "clarity: Too big: expected number to be <=1",
    ],
    ["a fraction for a count", { ...fitting, count: 1.5 }, "count: expected int, received number"],
    [
      "a word that is no choice",
      { ...fitting, kind: "odd" },
      'kind: expected one of "simple"|"complex"',
    ],
    ["a word for yes", { ...fitting, isSafe: "yes" }, "isSafe: expected boolean, received string"],
    [
      "an empty list",
      { ...fitting, queries: [] },
      "queries: Too small: expected array to have >=1 items",
    ],
    [
      "a place in a list",
      { ...fitting, queries: [{ text: "x" }, { text: 1 }] },
      "queries[1].text: expected string, received number",
    ],
    [
      "an unknown field in a closed object",
      { ...fitting, queries: [{ text: "x", odd: 1 }] },
      'queries[0]: Unrecognized key: "odd"',
    ],
    ["a list for an object", [fitting], "the response: expected object, received array"],
  ])("[MODEL-6] the problem names the path of %s", (_, value, place) => {
    const problem = `The response does not match its schema: ${place}.`
    expect(read(value)).toEqual({ value: undefined, problem })
  })

  test("[MODEL-6] the problem names five paths and counts the rest", () => {
    const queries = Array.from({ length: 3 }, () => ({ text: 1, odd: 2 }))
    const { problem } = read({ clarity: "x", queries })
    expect(problem?.split("; ")).toHaveLength(6)
    expect(problem).toMatch(/; and 2 more\.$/)
  })

  test.each([
    ["", "The response is empty."],
    ["  \n", "The response is empty."],
    ["I would rather not.", "The response contains no JSON."],
    ['{"clarity": 0.', "The JSON in the response is incomplete."],
  ])("[MODEL-6] the problem describes %j", (text, problem) => {
    expect(answerReader(PLAN, "plan")(text)).toEqual({ value: undefined, problem })
  })

  test("[MODEL-6] without a schema only an empty response is a problem", () => {
    const readText = answerReader(undefined, "say")
    expect(readText("Well.")).toEqual({ value: undefined, problem: undefined })
    expect(readText(" ")).toEqual({ value: undefined, problem: "The response is empty." })
  })

  test.each([
    ["an unknown type", { type: "word" }],
    ["a reference to nothing", { $ref: "#/$defs/missing" }],
    ["a pattern that is none", { type: "string", pattern: "((" }],
  ])("[MODEL-6] a schema with %s is MODEL_SCHEMA_INVALID and names the question", (_, schema) => {
    const problem = (() => {
      try {
        return answerReader(schema, "deep-research/plan")
      } catch (error) {
        return error
      }
    })()
    expect(SchemaInvalid.is(problem)).toBe(true)
    expect(String(problem)).toContain("deep-research/plan")
  })
})
