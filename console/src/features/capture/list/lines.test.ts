import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Capture, CaptureDiff, ManifestItem } from "../../../contract.ts"
import { withSeed } from "../../../test-seed.ts"
import { aCapture, anAgreement, anItem, aSearched } from "../capture.fixture.ts"
import { blocksOf } from "../detail/observation.tsx"
import { countLoads, type Line, loadLines, shortener, signed } from "./lines.ts"

const VIEW = { diff: undefined, turned: [], kind: null } as const

const skill = (name: string, tokens: number): ManifestItem =>
  anItem(`.claude/skills/${name}/SKILL.md`, {
    load: "name-only",
    kind: "tools",
    tokens,
    tokensOnDemand: 500,
  })

const keysOf = (lines: readonly Line[]) => lines.map((it) => it.key)
const bars = (lines: readonly Line[]) =>
  lines.flatMap((it) => ("start" in it && it.start !== null ? [[it.start, it.tokens]] : []))

describe("capture waterfall", () => {
  it("each load starts where the previous one ended, in load order", () => {
    const capture = aCapture({
      items: [anItem("a.md", { tokens: 10 }), anItem("b.md", { tokens: 5 }), anItem("c.md", {})],
    })
    expect(bars(loadLines(capture, VIEW))).toEqual([
      [0, 10],
      [10, 5],
      [15, 100],
    ])
  })

  it("for any set of loads the bars add up to the tokens in the window", () => {
    const load = fc.constantFrom("always", "import", "name-only", "on-demand", "config-only")
    const items = fc.array(fc.record({ load, tokens: fc.nat(5_000), name: fc.nat(40) }))
    fc.assert(
      fc.property(items, (made) => {
        const capture = aCapture({
          items: made.map(({ load: how, tokens, name }, i) =>
            anItem(`.claude/commands/${name}/${i}.md`, {
              load: how as ManifestItem["load"],
              tokens: how === "config-only" ? 0 : tokens,
            }),
          ),
        })
        const drawn = bars(loadLines(capture, VIEW))
        const total = capture.manifest.items.reduce((sum, it) => sum + it.tokens, 0)
        let end = 0
        for (const [start, tokens] of drawn) {
          expect(start).toBe(end)
          end += tokens ?? 0
        }
        expect(end).toBe(total)
      }),
      withSeed(),
    )
  })

  it("files of one folder are one row with their sum, and the row expands", () => {
    const items = [anItem("CLAUDE.md", {}), skill("one", 7), skill("two", 9), anItem("z.md", {})]
    const capture = aCapture({ items })
    const [, folder] = loadLines(capture, VIEW)
    expect(folder).toMatchObject({
      kind: "folder",
      number: 2,
      start: 100,
      tokens: 16,
      folder: { label: ".claude/skills/", noun: "skills" },
    })
    expect(countLoads(capture)).toBe(3)
    const opened = loadLines(capture, { ...VIEW, turned: [folder?.key ?? ""] })
    expect(opened.slice(2, 4)).toMatchObject([
      { label: "one/SKILL.md", start: 100, tokens: 7, number: null },
      { label: "two/SKILL.md", start: 107, tokens: 9, number: null },
    ])
    expect(opened[4]).toMatchObject({ number: 3, start: 116 })
  })

  it("a folder with one file is shown as a plain row", () => {
    const [only] = loadLines(aCapture({ items: [skill("one", 7)] }), VIEW)
    expect(only).toMatchObject({ kind: "load", number: 1, tokens: 7 })
  })

  it("loads outside the window are listed only in the groups below the waterfall", () => {
    const items = [
      anItem("CLAUDE.md", {}),
      anItem("settings.json", { load: "config-only", tokens: 0 }),
      anItem("money.md", { load: "conditional", tokens: 0, tokensOnDemand: 502 }),
      skill("one", 7),
    ]
    const searched = [
      aSearched("a.md", "missing"),
      aSearched("b.md", "empty"),
      aSearched("c", "found"),
    ]
    const lines = loadLines(aCapture({ items, searched }), VIEW)
    expect(keysOf(lines)).toEqual([
      "/r/CLAUDE.md",
      "/r/.claude/skills/one/SKILL.md",
      "group:demand",
      "demand:/r/money.md",
      "demand:/r/.claude/skills/one/SKILL.md",
      "group:config",
      "config:/r/settings.json",
      "group:searched",
    ])
    expect(lines.filter((it) => it.kind === "group").map((it) => it.sum)).toEqual([
      "1,002 tokens, not in the window",
      "0 tokens",
      "1 missing, 1 empty",
    ])
  })

  it("missing paths are a closed group with a count until the reader opens it", () => {
    const capture = aCapture({ items: [], searched: [aSearched("a.md", "missing")] })
    expect(loadLines(capture, VIEW)).toMatchObject([{ kind: "group", count: 1, isOpen: false }])
    const lines = loadLines(capture, { ...VIEW, turned: ["group:searched"] })
    expect(keysOf(lines)).toEqual(["group:searched", "searched:project-root /r/a.md"])
  })

  it("a capture of the whole start has a heading for each kind, with sum and staircase in that order", () => {
    const items = [
      anItem("CLAUDE.md", {}),
      anItem("system prompt", { path: "<system prompt>", kind: "system", tokens: 1_400 }),
    ]
    const capture = aCapture({ items })
    const start = {
      baseline: null,
      window: null,
      servers: [],
      listing: null,
      sessions: 0,
      notCounted: [{ name: "stripe", kind: "mcp" as const, reason: "no answer after 5 s" }],
    }
    const lines = loadLines({ ...capture, manifest: { ...capture.manifest, start } }, VIEW)
    expect(keysOf(lines)).toEqual([
      "group:kind:system",
      "<system prompt>",
      "group:kind:instructions",
      "/r/CLAUDE.md",
      "group:unknown",
      "unknown:stripe",
    ])
    expect(lines[0]).toMatchObject({ name: "System prompt", sum: "1,400 tokens" })
    expect(lines[3]).toMatchObject({ start: 1_400, number: 2 })
  })

  it("a kind filter leaves only loads of that kind, at their original positions", () => {
    const capture = aCapture({
      items: [anItem("a.md", {}), skill("one", 7)],
      searched: [aSearched("b.md", "missing")],
    })
    const lines = loadLines(capture, { ...VIEW, kind: "tools" })
    expect(keysOf(lines).slice(0, 2)).toEqual(["/r/.claude/skills/one/SKILL.md", "group:demand"])
    expect(lines[0]).toMatchObject({ number: 2, start: 100 })
  })

  it("[CONSOLE-19] agreed, only estimated, only observed and not compared files are distinguished", () => {
    const items = ["both.md", "text.md", "only.md", "none.md"].map((it) => anItem(it, {}))
    const capture = aCapture({
      items,
      files: [
        anAgreement("both.md", "both", { sameText: true }),
        anAgreement("text.md", "both", { sameText: false }),
        anAgreement("only.md", "estimated-only", {}),
        anAgreement("host.md", "observed-only", { tokens: 118 }),
      ],
    })
    const lines = loadLines(capture, VIEW)
    expect(lines.flatMap((it) => (it.kind === "load" ? [it.observed] : []))).toEqual([
      "both",
      "text-differs",
      "estimated-only",
      null,
    ])
    expect(keysOf(lines)).toContain("observed:/r/host.md")
    expect(countLoads(capture)).toBe(4)
  })

  it("[CONSOLE-19] up to 24 blocks show the agreement, and a single difference stays visible", () => {
    const same = Array.from({ length: 2_000 }, (_, i) => anAgreement(`${i}.md`, "both", {}))
    expect(blocksOf(same.slice(0, 3))).toEqual(["ok", "ok", "ok"])
    expect(blocksOf(same)).toHaveLength(24)
    const last = [...same.slice(1), anAgreement("x.md", "estimated-only", {})]
    expect(blocksOf(last).filter((it) => it === "warn")).toHaveLength(1)
    expect(blocksOf([])).toEqual([])
  })

  it.each([
    [
      { change: "added", tokensBefore: 0, tokensAfter: 9 },
      { description: "new", tone: "ok" },
    ],
    [{ change: "changed", tokensBefore: 9, tokensAfter: 4 }, { description: "−5" }],
    [{ change: "changed", tokensBefore: 9, tokensAfter: 9 }, { description: "changed" }],
    [{ change: "moved", tokensBefore: 9, tokensAfter: 9 }, { description: "moved" }],
  ] as const)("a change since the previous capture is shown in its row: %o", (change, delta) => {
    const capture = aCapture({ items: [anItem("a.md", {})] })
    const diff = {
      changes: [{ path: "/r/a.md", label: "a.md", ...change }],
    } as unknown as CaptureDiff
    const [line] = loadLines(capture, { ...VIEW, diff })
    expect(line).toMatchObject({ delta })
  })

  it("increases have a plus, decreases a minus, 0 has neither", () => {
    expect([1_184, -40, 0].map(signed)).toEqual(["+1,184", "−40", "0"])
  })

  it("2,000 loads give 2,000 rows with different keys", () => {
    const items = Array.from({ length: 2_000 }, (_, i) => anItem(`part-${i}/GEMINI.md`, {}))
    const lines = loadLines(aCapture({ items }), VIEW)
    expect(new Set(keysOf(lines)).size).toBe(2_000)
    expect(lines.at(-1)).toMatchObject({ number: 2_000, start: 199_900 })
  })
})

describe("paths in a capture", () => {
  it.each([
    ["/r/docs/a.md", "docs/a.md"],
    ["/home/ada/.claude/x", "~/.claude/x"],
    ["/etc/x", "/etc/x"],
    ["/rest/a.md", "/rest/a.md"],
  ])("%s is shown as %s", (path, label) => {
    const home = {
      ...anItem("x", {}),
      path: "/home/ada/.claude/CLAUDE.md",
      label: "~/.claude/CLAUDE.md",
    }
    const { manifest }: Pick<Capture, "manifest"> = aCapture({ items: [home] })
    expect(shortener(manifest)(path)).toBe(label)
  })
})
