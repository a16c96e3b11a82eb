import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { oneLine, systemRandom } from "#ground/base"
import { MEMORY_KINDS } from "#ground/contract"
import { createSecrets } from "#ground/secrets"
import { fileText } from "#test/memory-room"
import { fcParameters } from "#test/seed"
import type { MemoryEntry } from "./entry.ts"
import { editMemory, readMemory, writeMemory } from "./file-text.ts"

const { redact } = createSecrets({ random: systemRandom })
const WHERE = { file: ".qm/memory/lessons/a.md", modifiedAtMs: 5 }
const read = (text: string) => readMemory(text, WHERE, redact)

function entry(fields: Partial<MemoryEntry> = {}): MemoryEntry {
  return {
    id: "mem_1",
    kind: "fix",
    title: "T",
    description: "D",
    body: "B",
    cites: [],
    source: { session: null, actor: "agent", commit: null, isUntrusted: false, isDistilled: false },
    state: "proposed",
    supersededBy: null,
    signals: { helpful: 0, unhelpful: 0, succeeded: 0, failed: 0 },
    createdAt: 1_700_000_000_000,
    ...fields,
  }
}

/** Characters with a meaning in YAML or markdown, without the letters that form a secret. */
const Odd = fc
  .array(
    fc.constantFrom(
      ..."-:#[]{}'\"|>&*!%@`?,~ \\/=<$_.()^",
      "\n",
      "\t",
      "a",
      "é",
      "世",
      "🙂",
      "null",
      "42",
    ),
    { maxLength: 60 },
  )
  .map((signs) => signs.join(""))
const OneLine = Odd.map((text) => oneLine(`x ${text}`))

describe("writing a memory file", () => {
  test("[MEMORY-1] any characters read back unchanged", () => {
    const property = fc.property(
      fc.record({
        kind: fc.constantFrom(...MEMORY_KINDS),
        title: OneLine,
        description: OneLine,
        body: Odd.map((text) => text.trim()).filter((text) => !/^[<>]{7} /m.test(text)),
        cites: fc.array(fc.record({ path: OneLine, sha: fc.constantFrom("0123", "1e5", "") })),
        supersededBy: fc.constantFrom(null, "mem_0e1"),
        createdAt: fc.integer({ min: 0, max: 4_000_000_000_000 }),
      }),
      (fields) => {
        const state = fields.supersededBy === null ? "confirmed" : "superseded"
        const whole = entry({ ...fields, state, id: "mem_123e5" })
        expect(read(writeMemory(whole))).toEqual({ kind: "memory", entry: whole })
      },
    )
    fc.assert(property, fcParameters({ numRuns: 300 }))
  })

  test("[MEMORY-1] the file is readable by people", () => {
    const cites = [{ path: "src/a.ts", symbol: "f", sha: "0a" }]
    expect(
      writeMemory(entry({ title: "Keys: sorted", cites, body: "Why.\n\n- one" })),
    ).toMatchInlineSnapshot(`
      "---
      id: mem_1
      kind: fix
      title: "Keys: sorted"
      description: D
      state: proposed
      created: 2023-11-14T22:13:20.000Z
      cites:
        - path: src/a.ts
          symbol: f
          sha: 0a
      source:
        session: null
        actor: agent
        commit: null
        untrusted: false
        distilled: false
      signals:
        helpful: 0
        unhelpful: 0
        succeeded: 0
        failed: 0
      ---

      Why.

      - one
      "
    `)
  })
})

describe("editing a memory file", () => {
  const judged = (it: MemoryEntry): MemoryEntry => ({
    ...it,
    state: "superseded",
    supersededBy: "mem_9",
    signals: { ...it.signals, helpful: 3 },
    cites: it.cites.map((cite) => ({ ...cite, sha: "new" })),
  })

  function edited(text: string): string {
    const before = read(text)
    if (before.kind !== "memory") throw new Error(before.problem)
    return editMemory(text, before.entry, judged(before.entry))
  }

  test("[MEMORY-3] leaves all other content unchanged", () => {
    const text = [
      "---",
      "# Kept by the platform team",
      "owner: 'ops'   # ask first",
      "title: Drain",
      "signals:",
      "  helpful: 2",
      "  seen: 9",
      "cites: [src/a.ts, {path: src/b.ts, sha: old, note: mine}]",
      "links: [a, b]",
      "---   ",
      "text right below  ",
      "",
      "--- not a head ---",
      "no newline at the end",
    ].join("\n")
    expect(edited(text)).toMatchInlineSnapshot(`
      "---
      # Kept by the platform team
      owner: 'ops' # ask first
      title: Drain
      signals:
        helpful: 3
        seen: 9
        unhelpful: 0
        succeeded: 0
        failed: 0
      cites: [ { path: src/a.ts, sha: new }, { path: src/b.ts, sha: new, note: mine } ]
      links: [ a, b ]
      id: mem_ab076df9feec867059c4
      state: superseded
      superseded_by: mem_9
      ---   
      text right below  

      --- not a head ---
      no newline at the end"
    `)
    expect(edited(edited(text))).toBe(edited(text))
  })

  test("[MEMORY-3] preserves line endings, and replaces a signals value that is not a map", () => {
    const text = fileText({ title: "A", signals: "none yet" }, "b\r\nc\n").replace(
      /(?<!\r)\n/g,
      "\r\n",
    )
    expect(read(text).kind).toBe("problem")
    const crlf = fileText({ title: "A", signals: "" }, "b\r\nc\r\n").replace(/(?<!\r)\n/g, "\r\n")
    const after = edited(crlf)
    expect(after).toContain("signals:\r\n  helpful: 3\r\n")
    expect(after).not.toMatch(/[^\r]\n/)
    expect(after.endsWith("---\r\n\r\nb\r\nc\r\n")).toBe(true)
  })
})

describe("invalid memory files", () => {
  test("[MEMORY-4] are reported with the problem", () => {
    const texts: readonly [string, string][] = [
      ["", "it does not begin with front matter between two lines of ---"],
      ["plain words", "it does not begin with front matter between two lines of ---"],
      ["---\ntitle: a\n", "it does not begin with front matter between two lines of ---"],
      [
        `---\ntitle: ${"x".repeat(40_000)}\n---\n`,
        "it does not begin with front matter between two lines of ---",
      ],
      ["---\ntitle: [a\n---\n", "its front matter is not valid YAML (BAD_INDENT)"],
      ["---\ntitle: a\ntitle: b\n---\n", "its front matter is not valid YAML (DUPLICATE_KEY)"],
      ["---\ntitle: *none\n---\n", "its front matter is not valid YAML (aliases)"],
      [bomb(), "its front matter is not valid YAML (aliases)"],
      [
        "---\n- a\n- b\n---\n",
        "its front matter is invalid: Invalid input: expected object, received array",
      ],
      ["---\n---\n", "its front matter is invalid: Invalid input: expected object, received null"],
      [fileText({ kind: "fix" }), "its title is invalid: Invalid input"],
      [
        fileText({ title: "a", kind: "joke" }),
        "its kind is invalid: Invalid option: expected one of",
      ],
      [fileText({ title: "a", id: "'mem_1\\n---'" }), "its id is invalid: Invalid string"],
      [fileText({ title: "a", state: "stale" }), "its state is invalid: Invalid option"],
      [
        fileText({ title: "a", signals: "{helpful: -1}" }),
        "its signals.helpful is invalid: Too small",
      ],
      [fileText({ title: "a", cites: "[{path: 1}]" }), "its cites.0 is invalid: Invalid input"],
      [
        "---\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> theirs\n---\n",
        "it has merge conflict markers",
      ],
      [
        fileText({ title: "a" }, "<<<<<<< HEAD\r\n1\r\n=======\r\n2\r\n>>>>>>> theirs\r\n"),
        "it has merge conflict markers",
      ],
    ]
    for (const [text, problem] of texts) {
      const outcome = read(text)
      expect(outcome, text.slice(0, 80)).toEqual({
        kind: "problem",
        problem: expect.stringContaining(problem),
      })
    }
  })

  test("[MEMORY-4] any bytes give a memory or a problem", () => {
    const pieces = fc.constantFrom(
      "---\n",
      "title: a\n",
      "\r\n",
      "id: mem_1\n",
      "cites:\n",
      "- ",
      "&a [*a]\n",
      "\u0000",
      "words",
      "? ",
      "<<: {}\n",
      "!!js/function x\n",
    )
    const property = fc.property(
      fc.array(fc.oneof(pieces, fc.string()), { maxLength: 20 }),
      (parts) => {
        expect(["memory", "problem"]).toContain(read(parts.join("")).kind)
      },
    )
    fc.assert(property, fcParameters({ numRuns: 300 }))
  })

  test("[MEMORY-11] a confidence value in a file is ignored, and missing fields get the least trusted value", () => {
    const text = fileText({ title: "42", confidence: "1", uses: "900" })
    expect(read(text)).toEqual({
      kind: "memory",
      entry: entry({
        id: expect.stringMatching(/^mem_[0-9a-f]{20}$/),
        kind: "strategy",
        title: "42",
        description: "42",
        body: "Words.",
        createdAt: 5,
      }),
    })
  })
})

function bomb(): string {
  const lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
  for (let n = 1; n < 9; n++)
    lines.push(
      `a${n}: &a${n} [${Array(9)
        .fill(`*a${n - 1}`)
        .join(",")}]`,
    )
  return `---\ntitle: a\n${lines.join("\n")}\n---\n`
}
