import { describe, expect, test } from "vitest"
import type { Branch, FoldSearch, FoldShow, FoldTree, TrailEntry } from "#ground/contract"
import { createScreen, visibleDeep } from "../terminal/screen.ts"
import { loadPrinters } from "./renderers.fixture.ts"

const renderers = await loadPrinters()

const screen = createScreen({ isColored: false, columns: 80 })
const render = (name: string, output: unknown) =>
  renderers[name]?.text(visibleDeep(output), screen) ?? ""

const BRANCH: Branch = {
  id: "br_1",
  sessionId: "terminal",
  parentId: null,
  depth: 0,
  children: 1,
  description: "Find where cents are rounded",
  prompt: "Look at src/price.",
  scope: ["src/price/**"],
  client: "claude-code",
  mode: "handle",
  budgetTotal: 8_192,
  budgetUsed: 6_144,
  charges: [{ source: "hook", charges: 3, tokens: 6_144 }],
  isExhausted: false,
  isLowerBound: false,
  timeoutSeconds: 300,
  deadlineAt: 300_000,
  status: "completed",
  endReason: "returned",
  isPartial: false,
  result: "In rounding.ts, line 2.\nHalf a cent goes up.",
  resultTokens: 20,
  error: null,
  evidence: ["rounding.ts:2"],
  files: ["src/price/rounding.ts"],
  openQuestions: ["Is tax rounded twice?"],
  outOfScope: ["docs/guide.md"],
  progress: "read two files",
  touchedPaths: ["src/price/rounding.ts", "docs/guide.md"],
  injectedMemoryIds: ["mem_1"],
  distillation: null,
  redactions: 1,
  tokensInWindow: 20,
  tokensKeptOut: 6_124,
  createdAt: 0,
  completedAt: 123_000,
  isArchived: false,
}
const OPEN: Branch = {
  ...BRANCH,
  id: "br_2",
  parentId: "br_1",
  depth: 1,
  children: 0,
  description: "Read the tests",
  budgetUsed: 1_024,
  isLowerBound: true,
  status: "active",
  endReason: null,
  result: null,
  tokensKeptOut: 0,
  completedAt: null,
}
const FORCED: Branch = {
  ...BRANCH,
  id: "br_3",
  status: "failed",
  endReason: "budget",
  isPartial: true,
  budgetUsed: 8_192,
  error: "The budget is spent.",
}
const STEP: TrailEntry = {
  seq: 1,
  at: 1_200,
  kind: "call",
  tool: "search",
  text: "round cents\nsecond line",
  tokens: 1_500,
  handle: "h_1",
}

function treeOf(...branches: readonly Branch[]): FoldTree {
  return {
    sessions: [
      {
        sessionId: "terminal",
        client: "claude-code",
        startedAt: 0,
        budgetUsed: 7_168,
        tokensInWindow: 1_044,
        tokensKeptOut: 6_124,
        branches: [...branches],
      },
    ],
  }
}

describe("[CLI-13] branches", () => {
  test("[CLI-13] the tree prints tokens kept out, then each branch with bar, budget, time and state", () => {
    expect(render("fold.tree", treeOf(BRANCH, OPEN, FORCED))).toMatchInlineSnapshot(`
      "6,124 tokens saved, 1,044 in the window, 7,168 used  session terminal,
        claude-code, since 1970-01-01 00:00

        completed  Find where cents are rounded
        ━━━━━━··  6,144 of 8,192 tokens, 2:03 min, 6,124 saved  br_1

          active  Read the tests
          ━·······  1,024+ of 8,192 tokens, until 00:05 UTC  br_2

        failed, budget used up, partial  Find where cents are rounded
        ━━━━━━━━  8,192 of 8,192 tokens, 2:03 min, 6,124 saved  br_3

      + means at least: only calls of qm tools are counted"
    `)
  })

  test("[CLI-13] the list prints branches and the number of the others", () => {
    const list = {
      branches: [BRANCH, OPEN],
      active: 1,
      total: 5,
      tokensInWindow: 20,
      tokensKeptOut: 6_124,
    }
    expect(render("fold.list", list)).toMatchInlineSnapshot(`
      "6,124 tokens saved by 2 branches, 20 in the window, 1 open

      Branch  State      Used             In window  Saved  Task
      br_1    completed  ━━━━━━·· 6,144   20         6,124  Find where cents are
                                                            rounded
      br_2    active     ━······· 1,024+  20         0      Read the tests

      3 more; list them with --all or --limit.

      + means at least: only calls of qm tools are counted"
    `)
  })

  test("[CLI-13] a branch is printed with its result and its trail", () => {
    const shown: FoldShow = {
      branch: { ...BRANCH, isLowerBound: true },
      trail: [
        { ...STEP, kind: "prompt", tool: null, handle: null, tokens: 0 },
        { ...STEP, seq: 2 },
      ],
    }
    expect(render("fold.show", shown)).toMatchInlineSnapshot(`
      "Find where cents are rounded
      ━━━━━━··  6,144+ of 8,192 tokens, 2:03 min, completed

      Branch     br_1, no parent, depth 0, 1 child
      Session    terminal, claude-code
      Opened     1970-01-01 00:00 UTC, timeout 5:00 min
      Folded by  handles for large results
      Counted    6,144 by hooks of the host
      In window  20 tokens
      Saved      6,124 tokens
      Scope      src/price/**
      Progress   read two files
      Memories   mem_1
      Secrets    1 redacted

      Result 20 tokens
        In rounding.ts, line 2.
        Half a cent goes up.

      Evidence 1
        rounding.ts:2

      Open questions 1
        Is tax rounded twice?

      Files in the result 1
        src/price/rounding.ts

      Files read or written 2
        src/price/rounding.ts
        docs/guide.md

      Outside its scope 1
        docs/guide.md

      Trail 2
        Step  Time      Kind         Tokens  Text           Handle
          1   at 1.2 s  prompt               round cents …
          2   at 1.2 s  call search  1.5k    round cents …  h_1

      + means at least: only calls of qm tools are counted

      Print the trail for a model with \`qm fold restore br_1\`."
    `)
  })

  test("[CLI-13] a branch folded by the gateway says so, and lists the removed turns", () => {
    const trail: TrailEntry[] = [{ ...STEP, kind: "wire", tool: "Read" }]
    const text = render("fold.show", { branch: { ...BRANCH, mode: "wire" }, trail })
    expect(text).toContain("Folded by  the gateway\n")
    expect(text).toContain("  1   at 1.2 s  wire Read  1.5k    round cents …  h_1\n")
  })

  test("[CLI-13] a branch ended by force has a partial result with the reason", () => {
    const text = render("fold.show", { branch: FORCED, trail: [] })
    expect(text).toContain("failed, budget used up, partial")
    expect(text).toContain("Partial result 20 tokens\n  In rounding.ts, line 2.")
    expect(text).toContain("\nThe budget is spent.\n")
    expect(text).not.toContain("Trail")
  })

  test("[CLI-13] a long trail is truncated with a note", () => {
    const trail = Array.from({ length: 45 }, (_, at) => ({ ...STEP, seq: at + 1 }))
    const text = render("fold.show", { branch: BRANCH, trail })
    expect(text).toContain("Trail 45\n")
    expect(text).toContain("  and 5 more; --json lists all")
    expect(text.match(/round cents/g)).toHaveLength(40)
  })

  test("[CLI-13] search results in trails are grouped by branch", () => {
    const hit: FoldSearch["found"][number] = {
      branchId: "br_1",
      description: BRANCH.description,
      seq: 2,
      at: 0,
      kind: "call",
      tool: "search",
      line: "round cents",
    }
    const found = [
      hit,
      { ...hit, seq: 9, tool: null, kind: "result" },
      { ...hit, branchId: "br_3" },
    ]
    expect(render("fold.search", { found, searched: 3 })).toMatchInlineSnapshot(`
      "Find where cents are rounded  br_1
        Step  Kind         Text
          2   call search  round cents
          9   result       round cents

      Find where cents are rounded  br_3
        Step  Kind         Text
          2   call search  round cents

      Show a trail with \`qm fold show br_1\`, print it for a model with \`qm fold
        restore br_1\`."
    `)
  })
})

test.each([
  [{ ...BRANCH, status: "timeout", endReason: "timeout", isPartial: true }, "timeout, partial"],
  [{ ...BRANCH, status: "cancelled", endReason: "parent-returned" }, "its parent returned"],
  [{ ...BRANCH, status: "cancelled", endReason: "session-ended" }, "its session ended"],
  [{ ...BRANCH, status: "cancelled", endReason: "shutdown" }, "qm was shut down"],
  [{ ...OPEN, status: "created" }, "created"],
] as const)(
  "[CLI-11] the end of a branch is a word, with and without colour: %#",
  (branch, words) => {
    const colored = createScreen({ isColored: true, columns: 80 })
    expect(render("fold.tree", treeOf(branch))).toContain(words)
    const text = renderers["fold.tree"]?.text(treeOf(branch), colored) ?? ""
    expect(text).toContain(words)
    expect(text).toContain("\u001b[")
  },
)

test("[CLI-24] `qm fold restore` prints only the text, escaped for a terminal", () => {
  const text = "# Branch\n\tstep 1\u001b[2J\n"
  const restored = { branchId: "br_1", text, tokens: 9, leftOut: 2 }
  expect(render("fold.restore", restored)).toBe("# Branch\n\tstep 1\\x1b[2J")
  expect(renderers["fold.restore"]?.isExact).toBe(false)
})

test.each([
  ["fold.tree", { sessions: [] }, /qm fold --all[^]+claude mcp add qm -- qm mcp/],
  [
    "fold.list",
    { branches: [], active: 0, total: 0, tokensInWindow: 0, tokensKeptOut: 0 },
    /yet\.\nGive Claude Code .+`claude mcp add/,
  ],
  [
    "fold.list",
    { branches: [], active: 0, total: 4, tokensInWindow: 0, tokensKeptOut: 0 },
    /--all lists 4 older/,
  ],
  ["fold.search", { found: [], searched: 0 }, /No trails are stored yet\.\n.+`claude mcp add/],
  ["fold.search", { found: [], searched: 3 }, /No match in 3 trails\. Try fewer/],
])("[CLI-23] %s with an empty result prints the next step: %#", (name, output, expected) => {
  expect(render(name, output)).toMatch(expected)
})

test("[CLI-23] a text with line breaks and escapes stays in its row", () => {
  const nasty = "x\nbr_9  completed  forged\u001b[2J\u202e"
  const branch: Branch = {
    ...BRANCH,
    description: nasty,
    client: nasty,
    sessionId: nasty,
    scope: [nasty],
    progress: nasty,
    result: nasty,
    error: nasty,
    evidence: [nasty],
    files: [nasty],
    openQuestions: [nasty],
    outOfScope: [nasty],
    touchedPaths: [nasty],
  }
  const hit = { branchId: "br_1", description: nasty, seq: 1, at: 0, kind: "call", tool: nasty }
  const tree = treeOf(branch)
  const texts = [
    render("fold.tree", { sessions: tree.sessions.map((it) => ({ ...it, client: nasty })) }),
    render("fold.list", {
      branches: [branch],
      active: 0,
      total: 1,
      tokensInWindow: 0,
      tokensKeptOut: 0,
    }),
    render("fold.show", { branch, trail: [{ ...STEP, text: nasty, tool: nasty }] }),
    render("fold.search", { found: [{ ...hit, line: nasty }], searched: 1 }),
  ]
  for (const text of texts) {
    expect(text).toContain("x\\n")
    expect(text).not.toMatch(/^br_9/m)
    expect(text).toMatch(/^[\P{C}\n]*$/u)
  }
})
