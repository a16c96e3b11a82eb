import { expect, test } from "vitest"
import { z } from "zod"
import { describeIssue } from "./issue.ts"

function describeAll(schema: z.ZodType, input: unknown): string {
  const parsed = schema.safeParse(input)
  return (parsed.error?.issues ?? []).map((it) => describeIssue(it, { input })).join("; ")
}

const slug = z.string().regex(/^[a-z]+$/, "lowercase letters")

test.each([
  [z.object({ level: z.int().max(7) }), { level: 9 }, "level must be at most 7, got 9"],
  [z.object({ level: z.int().min(1) }), { level: 0 }, "level must be at least 1, got 0"],
  [z.object({ usd: z.number().positive() }), { usd: 0 }, "usd must be more than 0, got 0"],
  [z.object({ usd: z.number().lt(5) }), { usd: 5 }, "usd must be less than 5, got 5"],
  [z.object({ a: z.int() }), { a: 1.5 }, "a must be a whole number, got 1.5"],
  [z.object({ a: z.number() }), { a: "abc" }, 'a must be a number, got "abc"'],
  [z.object({ a: z.string() }), {}, "a is missing"],
  [z.object({ a: z.boolean() }), { a: 1 }, "a must be true or false, got 1"],
  [z.object({ a: z.array(z.string()) }), { a: "x" }, 'a must be a list, got "x"'],
  [z.object({ a: z.array(z.string()) }), { a: [1] }, "a.0 must be text, got 1"],
  [z.object({ a: z.string().min(1) }), { a: "" }, "a must not be empty"],
  [z.object({ a: z.string().min(3) }), { a: "x" }, "a must have at least 3 characters, has 1"],
  [
    z.object({ a: z.string().max(1_200) }),
    { a: "x".repeat(1_300) },
    "a must have at most 1,200 characters, has 1,300",
  ],
  [z.object({ a: z.array(z.int()).min(1) }), { a: [] }, "a must not be empty"],
  [z.object({ a: z.array(z.int()).max(1) }), { a: [1, 2] }, "a must have at most 1 entries, has 2"],
  [z.object({ a: z.enum(["x", "y"]) }), { a: "z" }, 'a must be one of x, y, got "z"'],
  [z.object({ a: z.literal("x") }), { a: "z" }, 'a must be x, got "z"'],
  [z.object({ a: slug }), { a: "A1" }, 'a must be lowercase letters, got "A1"'],
  [z.object({ a: z.string().regex(/x/) }), { a: "y" }, 'a has an invalid format, got "y"'],
  [z.object({ a: z.iso.date() }), { a: "1.2.3" }, 'a must be a date as YYYY-MM-DD, got "1.2.3"'],
  [z.object({ a: z.url() }), { a: "x" }, 'a must be a URL, got "x"'],
  [z.object({ a: z.number().multipleOf(5) }), { a: 3 }, "a must be a multiple of 5, got 3"],
  [z.strictObject({}), { b: 1 }, 'input has unknown field "b"'],
  [z.strictObject({}), { b: 1, c: 1 }, 'input has unknown fields "b", "c"'],
  [
    z.object({ a: z.union([z.int(), z.boolean()]) }),
    { a: "x" },
    'a has none of the allowed forms, got "x"',
  ],
  [z.record(slug, z.int()), { A: 1 }, "A has an invalid key"],
  [z.map(z.object({}), z.int()), new Map([[{}, "x"]]), "input has an invalid entry"],
  [z.object({ a: z.string().refine(() => false) }), { a: "x" }, 'a is invalid, got "x"'],
  [
    z.object({ a: z.string().refine(() => false, "two lines") }),
    { a: "x" },
    "a is invalid: two lines",
  ],
  [
    z.object({ a: z.int() }),
    { a: "x".repeat(80) },
    "a must be a number, got a value of 82 characters",
  ],
  [z.int(), "x", 'input must be a number, got "x"'],
])("[CONTRACT-10] issue %# is a plain sentence", (schema, input, expected) => {
  expect(describeAll(schema, input)).toBe(expected)
})

test("[CONTRACT-10] a secret value is not quoted", () => {
  const [issue] = z.string().max(3).safeParse("sk-secret").error?.issues ?? []
  if (issue === undefined) throw new Error("no issue")
  const text = describeIssue(issue, { input: "sk-secret", name: "model.key", isSecret: true })
  expect(text).toBe("model.key must have at most 3 characters, has 9")
  const [type] = z.int().safeParse("sk-secret").error?.issues ?? []
  if (type === undefined) throw new Error("no issue")
  expect(describeIssue(type, { input: "sk-secret", name: "k", isSecret: true })).toBe(
    "k must be a number, got a hidden value",
  )
})
