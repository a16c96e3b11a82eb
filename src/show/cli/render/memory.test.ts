import { describe, expect, test } from "vitest"
import type { Memory } from "#ground/contract"
import { createScreen, visibleDeep } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 80 })
const render = (name: string, output: unknown) =>
  renderers[name]?.text(visibleDeep(output), screen) ?? ""

const MEMORY: Memory = {
  id: "mem_1",
  kind: "pitfall",
  title: "Cents are rounded twice",
  description: "Tax rounds what the line rounded",
  body: "Round once, at the end.\n\nSee the test.",
  cites: [
    { path: "src/price/tax.ts", symbol: "Tax.total", sha: "aa", state: "changed" },
    { path: "docs/guide.md", sha: "bb", state: "fresh" },
  ],
  source: {
    session: "ses_1",
    actor: "agent",
    commit: "0123456789abcdef",
    isUntrusted: true,
    isDistilled: true,
  },
  state: "stale",
  supersededBy: null,
  signals: { helpful: 2, unhelpful: 0, succeeded: 1, failed: 0 },
  uses: 4,
  confidence: 0.7234,
  file: ".qm/memory/cents-are-rounded-twice.md",
  createdAt: 0,
}
const RULE: Memory = {
  ...MEMORY,
  id: "mem_2",
  kind: "rule",
  title: "No floats for money",
  description: "No floats for money",
  cites: [],
  source: { session: null, actor: "human", commit: null, isUntrusted: false, isDistilled: false },
  state: "confirmed",
  supersededBy: "mem_1",
  confidence: 1,
}

describe("[CLI-13] memories", () => {
  test("[CLI-13] the list has the total, then kind, state and confidence, then unreadable files", () => {
    const problems = [{ file: ".qm/memory/x.md", problem: "it has no title" }]
    const list = { memories: [MEMORY, RULE], total: 3, problems }
    expect(render("memory.list", list)).toMatchInlineSnapshot(`
      "3 memories, 2 listed

      Memory  Kind     State      Confidence     Title
      mem_1   pitfall  stale      ━━━━━━·· 0.72  Cents are rounded twice
      mem_2   rule     confirmed  ━━━━━━━━ 1.00  No floats for money

      Invalid files 1
        File             Problem
        .qm/memory/x.md  it has no title"
    `)
  })

  test("[CLI-13] search results have source, age, trust and the reason", () => {
    const found = [
      { memory: MEMORY, score: 1, why: ["has 'rounded'", "cites src/price/tax.ts"] },
      { memory: RULE, score: 0.25, why: ["has 'money'"] },
    ]
    expect(render("memory.search", { found, total: 2 })).toMatchInlineSnapshot(`
      "━━━━━━━━  Cents are rounded twice
                pitfall, stale, confidence 0.72, 1970-01-01 by an agent
                Tax rounds what the line rounded
                has 'rounded', cites src/price/tax.ts  mem_1

      ━━······  No floats for money
                rule, confirmed, confidence 1.00, 1970-01-01 by a user
                has 'money'  mem_2"
    `)
  })

  test("[CLI-13] memory.show prints a memory with the state of the code it cites", () => {
    expect(render("memory.show", MEMORY)).toMatchInlineSnapshot(`
      "Cents are rounded twice
      ━━━━━━··  confidence 0.72, pitfall, stale

      Tax rounds what the line rounded

        Round once, at the end.

        See the test.

      About 2
        Code                        State
        src/price/tax.ts#Tax.total  changed since
        docs/guide.md               unchanged

      Memory    mem_1
      File      .qm/memory/cents-are-rounded-twice.md
      Written   1970-01-01 00:00
      From      an agent, extracted when its branch returned, session ses_1, commit
                0123456
      Caution   based on external text
      Feedback  helpful 2, unhelpful 0, succeeded 1, failed 0, used 4"
    `)
    const rule = render("memory.show", RULE)
    expect(rule).toContain("Replaced by  mem_1")
    expect(rule).not.toMatch(/Caution|About/)
    expect(rule.match(/No floats for money/g)).toHaveLength(1)
  })

  test("[CLI-13] feedback prints the new confidence", () => {
    expect(render("memory.feedback", MEMORY)).toBe(
      "Updated: Cents are rounded twice\n━━━━━━··  confidence 0.72, stale",
    )
    expect(render("memory.confirm", RULE)).toBe(
      "Updated: No floats for money\n━━━━━━━━  confidence 1.00, confirmed",
    )
  })

  test("[CLI-13] memory.record states whether a memory is new, redacted or a proposal, and memory.forget what was deleted", () => {
    const proposed = { ...RULE, state: "proposed" }
    expect(
      render("memory.record", { outcome: "recorded", memory: proposed, redactions: 2 }),
    ).toMatchInlineSnapshot(`
      "Added: No floats for money
      .qm/memory/cents-are-rounded-twice.md  mem_2
      Redacted 2 secrets before writing.
      It is a proposal. Confirm it with \`qm memory confirm mem_2\`."
    `)
    expect(render("memory.record", { outcome: "duplicate", memory: RULE, redactions: 0 })).toBe(
      "Already exists: No floats for money\n.qm/memory/cents-are-rounded-twice.md  mem_2",
    )
    expect(render("memory.forget", { id: "mem_1", file: ".qm/memory/a.md" })).toBe(
      "Deleted mem_1 and .qm/memory/a.md. Git still has committed versions.",
    )
  })
})

test("[CLI-11] the state of a memory and of its citations is a word, also in colour", () => {
  const colored = createScreen({ isColored: true, columns: 80 })
  const text = renderers["memory.show"]?.text(MEMORY, colored) ?? ""
  expect(text).toContain("\u001b[33mstale")
  expect(text).toContain("\u001b[33mchanged since")
  const others = [RULE, { ...RULE, state: "superseded" }, { ...RULE, state: "proposed" }]
  const list = { memories: others, total: 3, problems: [] }
  for (const state of ["confirmed", "superseded", "proposed"]) {
    expect(renderers["memory.list"]?.text(list, colored)).toContain(state)
  }
})

test.each([
  [
    "memory.list",
    { memories: [], total: 0, problems: [] },
    /yet\. Add one with `qm memory add .+--kind rule`/,
  ],
  ["memory.list", { memories: [], total: 7, problems: [] }, /None of 7 memories .+`qm memory`/],
  ["memory.search", { found: [], total: 0 }, /No memories yet\. Add one with `qm memory add/],
  ["memory.search", { found: [], total: 7 }, /No match in 7 memories\. Try/],
])("[CLI-23] %s with an empty result prints the next step: %#", (name, output, expected) => {
  expect(render(name, output)).toMatch(expected)
})

test("[CLI-23] a text with line breaks and escapes stays in its row, or is indented", () => {
  const nasty = "x\nmem_9  rule  forged\u001b[2J\u202e"
  const memory: Memory = {
    ...MEMORY,
    title: nasty,
    description: `${nasty} of one line`,
    body: nasty,
    cites: [{ path: nasty, symbol: nasty, sha: "a", state: "gone" }],
    source: { ...MEMORY.source, session: nasty },
    file: nasty,
  }
  const problems = [{ file: nasty, problem: nasty }]
  const texts = [
    render("memory.list", { memories: [memory], total: 1, problems }),
    render("memory.search", { found: [{ memory, score: 1, why: [nasty] }], total: 1 }),
    render("memory.show", memory),
    render("memory.feedback", memory),
    render("memory.record", { outcome: "recorded", memory, redactions: 0 }),
    render("memory.forget", { id: "mem_1", file: nasty }),
  ]
  for (const text of texts) {
    expect(text).toContain("x\\n")
    expect(text).not.toMatch(/^mem_9/m)
    expect(text).toMatch(/^[\P{C}\n]*$/u)
  }
})
