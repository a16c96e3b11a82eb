import { expect, test } from "vitest"
import { splitFrontmatter, textField } from "./frontmatter.ts"

test("[HOSTS-7] frontmatter is separated from the body, whatever its YAML", () => {
  expect(splitFrontmatter("---\nname: x\nn: 3\nlist: [a, b]\n---\nbody\n")).toEqual({
    fields: { name: "x", n: 3, list: ["a", "b"] },
    body: "body\n",
    hasFrontmatter: true,
  })
  expect(splitFrontmatter("no head")).toEqual({
    fields: {},
    body: "no head",
    hasFrontmatter: false,
  })
  expect(splitFrontmatter("---\n- a list\n---\nb").fields).toEqual({})
  expect(splitFrontmatter("---\na: 'x\n---\nb")).toEqual({
    fields: {},
    body: "b",
    hasFrontmatter: true,
  })
})

test("[HOSTS-7] unquoted values are read as the hosts read them", () => {
  const head = "---\ndescription: use it: often\nhint: [a] b\n\tx: y\n---\n"
  expect(splitFrontmatter("---\ndescription: use it: often\nhint: [broken\n---\n").fields).toEqual({
    description: "use it: often",
    hint: "[broken",
  })
  expect(splitFrontmatter(head).hasFrontmatter).toBe(true)
  expect(splitFrontmatter('---\na: "x: y"\nb: p: q\nc: [1, 2]\n---\n').fields).toEqual({
    a: "x: y",
    b: "p: q",
    c: [1, 2],
  })
  expect(splitFrontmatter("---\na: 1\na: 2\n---\n").fields).toEqual({ a: 2 })
})

test("[HOSTS-60] frontmatter that expands without limit has no fields", () => {
  const bomb = Array.from({ length: 20 }, (_, it) =>
    it === 0 ? "a0: &a0 [x, x]" : `a${it}: &a${it} [*a${it - 1}, *a${it - 1}, *a${it - 1}]`,
  )
  expect(splitFrontmatter(`---\n${bomb.join("\n")}\n---\nbody`).body).toBe("body")
})

test("[HOSTS-10] a field is returned as written", () => {
  expect(["a", 3, true, null, [1], undefined].map((a) => textField({ a }, "a"))).toEqual([
    "a",
    "3",
    "true",
    "",
    "",
    "",
  ])
})
