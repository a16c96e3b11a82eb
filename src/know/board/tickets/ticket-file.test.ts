import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parse, stringify } from "yaml"
import { fcParameters } from "#test/seed"
import { parsePlainYaml } from "./plain-yaml.ts"
import { editFields, readTicket, type TicketEntry, writeTicket } from "./ticket-file.ts"

const ORIGIN = { file: ".qm/board/tickets/a.md", modifiedAtMs: 1_000 }

function parsed(text: string): TicketEntry {
  const result = readTicket(text, ORIGIN)
  if (result.kind === "problem") throw new Error(result.problem)
  return result.entry
}

const line = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
  .map((it) => it.replaceAll(/\p{C}/gu, "").trim())
  .filter((it) => it !== "")

const entry: fc.Arbitrary<TicketEntry> = fc.record({
  id: fc.constant("T-AB12"),
  file: fc.constant(ORIGIN.file),
  number: fc.integer({ min: 1, max: 9_999 }),
  title: line,
  type: fc.constantFrom("feature", "bug", "chore", "docs", "spike"),
  priority: fc.constantFrom("P0", "P1", "P2", "P3"),
  severity: fc.constantFrom("critical", "major", "minor", "trivial", null),
  complexity: fc.integer({ min: 1, max: 100 }),
  slaDays: fc.option(fc.integer({ min: 0, max: 90 }), { nil: undefined }),
  dependsOn: fc.uniqueArray(fc.constantFrom("T-1", "T-2", "T-3")),
  paths: fc.array(line, { maxLength: 3 }),
  acceptance: fc.array(fc.record({ text: line, isDone: fc.boolean() }), { maxLength: 3 }),
  blocked: fc.constant(null),
  createdAt: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  body: fc.constantFrom("", "Some text.\n\n- a list"),
})

describe("tickets as files", () => {
  test("[BOARD-1] a ticket reads back as it was written", () => {
    fc.assert(
      fc.property(entry, (it) => {
        expect(parsed(writeTicket(it))).toEqual({ ...it, title: parsed(writeTicket(it)).title })
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  test("[BOARD-1] the fast parser reads what the full parser reads, or nothing", () => {
    const scalar = fc.oneof(
      line,
      fc.string({ maxLength: 12 }),
      fc.integer(),
      fc.constantFrom(
        "null",
        "True",
        "1e3",
        "0x1",
        "a: b",
        "a #b",
        "- x",
        "~",
        "2026-01-01",
        "yes",
      ),
    )
    const values = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof(scalar, fc.array(scalar)))
    fc.assert(
      fc.property(values, scalar, (it, raw) => {
        for (const text of [stringify(it, { lineWidth: 0 }), `a: ${String(raw)}\n`]) {
          const plain = parsePlainYaml(text)
          if (plain !== undefined) expect({ text, plain }).toEqual({ text, plain: parse(text) })
        }
      }),
      fcParameters({ numRuns: 300 }),
    )
    const text =
      "id: T-1\ntitle: Round quotes\npaths:\n  - src/a.ts\nacceptance:\n  - text: Yes it does\n    done: true\n"
    expect(parsePlainYaml(text)).toEqual(parse(text))
  })

  test("[BOARD-1] missing fields get defaults and a lane in the file is ignored", () => {
    const { id, ...rest } = parsed("---\ntitle: Fix it\nlane: conclusion\n---\nText\n")
    expect(id).toMatch(/^T-[0-9A-F]{10}$/)
    expect(rest).toEqual({
      file: ORIGIN.file,
      number: undefined,
      title: "Fix it",
      type: "feature",
      priority: "P2",
      severity: null,
      complexity: 1,
      slaDays: undefined,
      dependsOn: [],
      paths: [],
      acceptance: [],
      blocked: null,
      createdAt: 1_000,
      body: "Text",
    })
  })

  test.each([
    ["no front matter", "# Title\n", "does not begin with front matter"],
    ["bad YAML", "---\ntitle: [\n---\n", "not valid YAML"],
    ["a list", "---\n- a\n---\n", "has no fields"],
    ["a wrong value", "---\ntitle: a\npriority: P9\n---\n", "priority is invalid"],
    ["a wrong id", "---\ntitle: a\nid: ../x\n---\n", "id is invalid"],
    ["merge markers", "---\ntitle: a\n<<<<<<< x\n=======\n>>>>>>> y\n---\n", "merge conflict"],
    ["no end", "---\ntitle: a\n", "does not begin with front matter"],
    ["unknown alias", "---\ntitle: *a\n---\n", "not valid YAML"],
  ])("[BOARD-3] %s is a problem", (_, text, problem) => {
    expect(readTicket(text, ORIGIN)).toMatchObject({ problem: expect.stringContaining(problem) })
  })
})

const BY_HAND = `---
# our format
id:   T-AB12
title: 'Round quotes'   # short
owner: { team: harbour,  name: "x" }
priority: P2
depends_on: # order matters
    - T-1

    - T-2   # later
paths: [src/a.ts,   src/b.ts]
acceptance:
- Totals agree
- {text: "No cents lost",   done: true}

# the end
blocked:
---
Body  with   spaces
---
more
`

describe("edited files", () => {
  test("[BOARD-2] a scalar is replaced in place and its comment stays", () => {
    const after = editFields(BY_HAND, { priority: "P0", title: "Round: all" })
    const expected = BY_HAND.replace("priority: P2", "priority: P0").replace(
      "'Round quotes'",
      '"Round: all"',
    )
    expect(after).toBe(expected)
  })

  test("[BOARD-2] a list is replaced and the other lines stay byte for byte", () => {
    const after = editFields(BY_HAND, { depends_on: ["T-9"], paths: ["src/c.ts"] })
    expect(parsed(after)).toMatchObject({ dependsOn: ["T-9"], paths: ["src/c.ts"] })
    for (const kept of [
      "# our format\nid:   T-AB12\n",
      "owner: { team: harbour,  name",
      "# the end",
    ])
      expect(after).toContain(kept)
    expect(after.slice(after.indexOf("\n---\n"))).toBe(BY_HAND.slice(BY_HAND.indexOf("\n---\n")))
  })

  test("[BOARD-2] an empty field gets a value, a removed one leaves no line", () => {
    const blocked = editFields(BY_HAND, { blocked: "waits" })
    expect(blocked).toBe(BY_HAND.replace("blocked:\n", "blocked: waits\n"))
    expect(editFields(blocked, { blocked: null })).toBe(BY_HAND.replace("blocked:\n", ""))
  })

  test("[BOARD-2] a new field is added at the end, with the file's line endings", () => {
    const windows = "---\r\ntitle: a\r\n---\r\nBody\r\n"
    expect(editFields(windows, { priority: "P1" })).toBe(
      "---\r\ntitle: a\r\npriority: P1\r\n---\r\nBody\r\n",
    )
  })

  test("[BOARD-2] front matter in one pair of braces is still edited", () => {
    expect(
      parsed(editFields("---\n{title: a, priority: P2}\n---\n", { priority: "P1" })),
    ).toMatchObject({ title: "a", priority: "P1" })
  })

  test("[BOARD-2] an edit changes its own fields and no other", () => {
    const fields = fc.record(
      {
        title: line,
        priority: fc.constantFrom("P0", "P1"),
        depends_on: fc.uniqueArray(fc.constantFrom("T-7", "T-8"), { minLength: 1 }),
        acceptance: fc.array(fc.record({ text: line, done: fc.boolean() }), {
          minLength: 1,
          maxLength: 3,
        }),
        blocked: fc.option(line, { nil: null }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fields, fc.constantFrom("\n", "\r\n"), (changes, newline) => {
        const text = BY_HAND.replaceAll("\n", newline)
        const [before, after] = [parsed(text), parsed(editFields(text, changes))]
        const { title, priority, dependsOn, acceptance, blocked, ...rest } = after
        expect({ ...before, ...rest }).toEqual(before)
        const isGone = "blocked" in changes
        expect(priority).toBe(changes.priority ?? before.priority)
        expect(dependsOn).toEqual(changes.depends_on ?? before.dependsOn)
        expect(acceptance.length).toBe((changes.acceptance ?? before.acceptance).length)
        if (changes.title === undefined) expect(title).toBe(before.title)
        if (!isGone) expect(blocked).toBe(before.blocked)
        expect(editFields(text, changes)).toContain("# our format")
      }),
      fcParameters({ numRuns: 60 }),
    )
  })
})
