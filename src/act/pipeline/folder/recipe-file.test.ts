import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { readRecipeFile } from "./recipe-file.ts"

const said = (text: string | undefined) =>
  readRecipeFile(text).problems.map((it) => `${it.file}:${it.line} ${it.field}: ${it.problem}`)

test("[PIPE-40] the header has name, description, sources and tools", () => {
  const head =
    "---\nname: A\ndescription: >\n  two\n  lines\nsources: [web]\ntools:\n  - knowledge\n---\nbody"
  expect(readRecipeFile(head)).toEqual({
    name: "A",
    description: "two lines",
    sources: ["web"],
    tools: ["knowledge"],
    problems: [],
  })
})

test("[PIPE-40] three dashes in the text below the header do not end it", () => {
  expect(said("---\nname: A\ndescription: B\n---\n\n---\nnme: C\n---\n")).toEqual([])
})

/** Any code units, including lone surrogates; fast-check's own generator takes 2 s to set up. */
const anyText = fc
  .array(fc.nat({ max: 0xffff }), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units))

describe("a RECIPE.md header", () => {
  test.each<[string, string | undefined, string[]]>([
    ["that is missing", undefined, ["RECIPE.md:1 : RECIPE.md is missing"]],
    [
      "without dashes",
      "name: A\n",
      [
        "RECIPE.md:1 : it must start with a header: a line of three dashes, fields, and three dashes again",
      ],
    ],
    [
      "without its end",
      "---\nname: A\n",
      [
        "RECIPE.md:1 : it must start with a header: a line of three dashes, fields, and three dashes again",
      ],
    ],
    [
      "with an unknown field",
      "---\nname: A\ndescription: B\n\ntool: [x]\n---\n",
      [
        "RECIPE.md:5 tool: `tool` is not a header field; one of name, description, sources, tools; did you mean `tools`?",
      ],
    ],
    [
      "without a description",
      "---\nname: A\n---\n",
      ["RECIPE.md:1 description: `description` is missing; a text of 1 to 500 characters"],
    ],
    [
      "whose name is not text",
      "---\ndescription: B\nname: 7\n---\n",
      ["RECIPE.md:3 name: `name` is `7`; it must be a text of 1 to 60 characters"],
    ],
    [
      "with a source that is not a slug",
      "---\nname: A\ndescription: B\nsources: [../web]\n---\n",
      [
        'RECIPE.md:4 sources: `sources` is `["../web"]`; it must be a list of source names: lower-case letters, digits and dashes',
      ],
    ],
    [
      "that is a list",
      "---\n- a\n---\n",
      ["RECIPE.md:2 : the header must have fields, such as `name: …`"],
    ],
  ])("[PIPE-42] a header %s is reported", (_, text, problems) => {
    expect(said(text)).toEqual(problems)
  })

  test("[PIPE-42] invalid YAML and a duplicate key are reported with their line", () => {
    expect(said("---\nname: A\ndescription: [\n---\n")[0]).toMatch(
      /^RECIPE\.md:\d : invalid YAML: /,
    )
    expect(said("---\nname: A\nname: B\n---\n")[0]).toMatch(
      /^RECIPE\.md:3 : invalid YAML: .*unique/,
    )
  })

  test("[PIPE-42] endless aliases and arbitrary text are read in bounded time", () => {
    const bomb = `---\nname: &a [x,x,x,x,x,x,x,x,x]\ndescription: &b [*a,*a,*a,*a,*a,*a,*a]\nsources: [*b,*b,*b,*b,*b,*b,*b,*b]\n---\n`
    expect(said(bomb).length).toBeGreaterThan(0)
    fc.assert(
      fc.property(anyText, (text) => {
        expect(readRecipeFile(`---\n${text}\n---\n`).problems.every((it) => it.line >= 1)).toBe(
          true,
        )
        readRecipeFile(text)
      }),
      fcParameters({ numRuns: 100 }),
    )
  })
})
