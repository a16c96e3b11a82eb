import { describe, expect, it } from "vitest"
import { z } from "zod"
import { configFields, OPERATIONS } from "#ground/contract"
import { describeField, fieldOf, formatValue, parseField, questionsOf } from "./schema-form.ts"

const value = (it: unknown) => ({ kind: "value", value: it })

describe("forms from JSON schemas", () => {
  it("[CONSOLE-7] every setting of the contract gets a control that accepts its default", () => {
    const fields = configFields()
    expect(fields.length).toBeGreaterThan(3)
    for (const { schema, defaultValue, key } of fields) {
      const field = fieldOf({ ...z.toJSONSchema(schema) })
      expect(field.kind, key).not.toBe("json")
      expect(parseField(field, formatValue(defaultValue)), key).toEqual(value(defaultValue))
    }
  })

  it("[CONSOLE-7] the palette can ask for every argument of every operation", () => {
    for (const [name, { input }] of Object.entries(OPERATIONS)) {
      const questions = questionsOf({ ...z.toJSONSchema(input, { io: "input" }) })
      for (const it of questions) expect(it.field.kind, `${name} ${it.name}`).not.toBe("json")
    }
  })

  const whole = fieldOf({ type: "integer", minimum: 1_000, maximum: 10_000_000 })

  it.each([
    [whole, "200000", value(200_000)],
    [whole, "200,000", value(200_000)],
    [whole, "200_000", value(200_000)],
    [whole, "999", { kind: "wrong", message: "A whole number from 1,000 to 10,000,000" }],
    [whole, "10000001", { kind: "wrong", message: "A whole number from 1,000 to 10,000,000" }],
    [whole, "1000.5", { kind: "wrong", message: "A whole number from 1,000 to 10,000,000" }],
    [whole, "", { kind: "wrong", message: "A whole number from 1,000 to 10,000,000" }],
    [whole, "NaN", { kind: "wrong", message: "A whole number from 1,000 to 10,000,000" }],
    [fieldOf({ type: "boolean" }), "yes", value(true)],
    [fieldOf({ type: "boolean" }), "maybe", { kind: "wrong", message: "Yes or no" }],
    [fieldOf({ enum: ["a", "b"] }), "b", value("b")],
    [fieldOf({ enum: ["a", "b"] }), "c", { kind: "wrong", message: "One of a, b" }],
    [
      fieldOf({ type: "string", minLength: 1 }),
      "",
      { kind: "wrong", message: "Must not be empty" },
    ],
    [fieldOf({ type: "array", items: { type: "string" } }), "a\nb", value(["a", "b"])],
    [
      fieldOf({ type: "array", items: { type: "integer" } }),
      "1\nx",
      { kind: "wrong", message: "A whole number" },
    ],
    [fieldOf({}), "{", { kind: "wrong", message: "Must be valid JSON" }],
    [fieldOf({}), "[1]", value([1])],
  ])("[CONSOLE-7] the field %o parses %j", (field, text, expected) => {
    expect(parseField(field, text)).toEqual(expected)
  })

  it("[CONSOLE-7] a technical limit such as MAX_SAFE_INTEGER is not shown", () => {
    const count = fieldOf({
      type: "integer",
      exclusiveMinimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    })
    expect(describeField(count)).toBe("a whole number, at least 1")
  })

  it("[CONSOLE-7] a field with a default is optional even if the schema requires it", () => {
    const questions = questionsOf({
      properties: { a: { type: "string" }, b: { type: "integer", default: 7 } },
      required: ["a", "b"],
    })
    expect(questions.map((it) => [it.name, it.isRequired])).toEqual([
      ["a", true],
      ["b", false],
    ])
  })
})
