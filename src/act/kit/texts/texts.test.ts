import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fcParameters } from "#test/seed"
import { leadsInto } from "../hosts/host.ts"
import { HOST_FORMS } from "../hosts/hosts.ts"
import { hookEditor } from "./hook-entries.ts"
import { readFields, removeAt } from "./json-text.ts"
import { blockEditor } from "./text.ts"

const FOLDER = "/home/u/.qm/kit"
const program = { kind: "bundle", node: "/opt/node", bundle: `${FOLDER}/abc/qm-hook.mjs` } as const
const file = {
  path: "/settings.json",
  container: "hooks",
  entries: HOST_FORMS["claude-code"].entries(5, program),
  isOurs: leadsInto(FOLDER),
}

const name = fc.string({ minLength: 1, maxLength: 6 }).filter((it) => it !== "__proto__")
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
})).value
const event = fc.constantFrom("Stop", "PreToolUse", "SessionStart", "Theirs")
const hooks = fc.dictionary(event, fc.array(json, { maxLength: 3 }), { maxKeys: 3 })
const settings = fc
  .tuple(fc.dictionary(name, json, { maxKeys: 3 }), fc.option(hooks, { nil: undefined }))
  .map(([rest, own]) => (own === undefined ? rest : { ...rest, hooks: own }))
  .filter((it) => JSON.stringify(it) === JSON.stringify({ ...it }))
const indent = fc.constantFrom("", "  ", "\t", "    ")

describe("editing shared files", () => {
  test("[KIT-5] qm's entries can be added to any settings and removed again", () => {
    const editor = hookEditor(file)
    fc.assert(
      fc.property(settings, indent, (value, space) => {
        const text = JSON.stringify(value, null, space)
        const added = editor.add(text)
        expect(added).toContain("qm-hook.mjs")
        const stripped = editor.strip(added, text) ?? "{}"
        expect(JSON.parse(stripped)).toEqual(JSON.parse(text))
        expect(editor.strip(text, undefined)).toBe(text)
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test("[KIT-5] removing one element leaves valid JSON with all other elements", () => {
    const lists = fc.array(fc.integer(), { minLength: 1, maxLength: 5 })
    const style = fc.constantFrom(", ", ",\n  ", " /* , */, ", ",\r\n\t// ] ,\r\n\t")
    fc.assert(
      fc.property(lists, style, fc.boolean(), (list, comma, hasTrailing) => {
        const at = Math.abs(list[0] ?? 0) % list.length
        const text = `{"a": [${list.join(comma)}${hasTrailing ? "," : ""}], "b": 1}`
        const after = readFields("f", removeAt(text, ["a", at]))
        expect(after).toEqual({ a: list.toSpliced(at, 1), b: 1 })
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test("[KIT-11] the block can be added once to any text and removed again", () => {
    const editor = blockEditor({ path: "f", lines: ["one", "two"] })
    const plain = fc.array(fc.constantFrom("a", " ", "\n", "\r\n", "# ü", "<!-- x -->"))
    fc.assert(
      fc.property(plain, (parts) => {
        const text = parts.join("")
        const added = editor.add(text)
        expect(editor.add(added)).toBe(added)
        const stripped = editor.strip(added, text) ?? ""
        expect(stripped.trimEnd()).toBe(text.trimEnd())
      }),
      fcParameters({ numRuns: 200 }),
    )
  })
})
