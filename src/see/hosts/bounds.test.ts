import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { memoryDisk } from "#test/memory-disk"
import { fcParameters } from "#test/seed"
import { antigravity } from "./antigravity/antigravity.ts"
import { claudeCode } from "./claude-code/claude-code.ts"
import { removeComments } from "./claude-code/instructions/transform.ts"
import { codex } from "./codex/codex.ts"
import { copilot } from "./copilot/copilot.ts"
import { findMentions as copilotMentions } from "./copilot/imports.ts"
import { splitFrontmatter } from "./files/frontmatter.ts"
import { backtickSpans, lineCounter } from "./files/import-text.ts"
import { trimBlank } from "./files/unicode.ts"
import { gemini } from "./gemini/gemini.ts"
import type { HostPlace } from "./host.ts"
import { MOST_MENTIONS } from "./limits.ts"
import { createSurveyReader, LONGEST_LEXED_UNITS, MOST_BYTES_READ } from "./survey-reader.ts"

const HOSTS = [claudeCode, codex, copilot, gemini, antigravity]
const MANY_UNITS = 1_000_000

const PLACE: HostPlace = {
  workingDirectory: "/w",
  home: "/home/u",
  environment: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
  platform: "linux",
}

/** Texts on which a regular expression that restarts at every letter would not finish. */
const fill = (part: string) => part.repeat(Math.floor(MANY_UNITS / part.length))
const growing = Array.from({ length: 1_500 }, (_, it) => `${"`".repeat(it + 1)}a`).join(" ")
const TEXTS = {
  "newlines behind dashes": `---${fill("\n")}x`,
  "newlines in a head": `---\na: [\n${fill("\n")}---\n`,
  "a head of one line": `---\n${fill("a")}\n[: b\n---\nx`,
  "blanks in a head": `---\ndescription: a: ${fill(" ")}x\n---\nx`,
  "blanks before a letter": `${fill(" ")}x`,
  "growing backticks": growing,
  "one long run of backticks": `${fill("`")} x`,
  "emphasis without an end": `@x.md ${"_a*".repeat(100_000)}`,
  "open comments": `@x.md ${"<!-- ".repeat(79_000)}`,
  "one run of stars": `@x.md ${"*".repeat(390_000)}a`,
  "signs in one word": `${fill("@")}.md`,
  "marks in one word": `@a${fill(".")}x.md`,
  "the same name again and again": fill("@x.md "),
  "many names": Array.from({ length: 100_000 }, (_, it) => `@n${it}.md`).join("\n"),
  "comments without an end": `<!-- -->${fill("<!-- ")}`,
}

const PATHS = [
  "/w/CLAUDE.md",
  "/w/AGENTS.md",
  "/w/GEMINI.md",
  "/w/.github/instructions/i.instructions.md",
  "/w/.agents/rules/r.md",
  "/w/.agents/skills/s/SKILL.md",
  "/home/u/.codex/AGENTS.md",
  "/home/u/.gemini/agents/a.md",
]

describe.each(HOSTS)("$name", (host) => {
  test.each(Object.entries(TEXTS))(
    "[HOSTS-63] a survey takes bounded time on %s",
    async (_, text) => {
      const files = Object.fromEntries(PATHS.map((path) => [path, text]))
      const disk = memoryDisk({ "/w/.git/HEAD": "x", ...files })
      const { searched } = await host.survey(PLACE, disk)
      expect(searched.length).toBeGreaterThan(0)
    },
    20_000,
  )
})

describe("read limits", () => {
  test("[HOSTS-63] reading stops at the byte limit, with one note", async () => {
    const large = Buffer.alloc(1024 * 1024, "x")
    const count = MOST_BYTES_READ / large.length
    const names = Array.from({ length: count + 5 }, (_, it) => `/w/${it}.md`)
    const reader = createSurveyReader(
      memoryDisk(Object.fromEntries(names.map((it) => [it, large]))),
    )
    for (const name of names) await reader.read(name, { source: "x", maxBytes: large.length })
    const refused = reader.searched().filter((it) => it.outcome === "unreadable")
    expect(refused.map((it) => [it.path, it.detail])).toEqual(
      names.slice(count).map((it) => [it, "too many bytes"]),
    )
    expect(reader.notes().map((it) => it.code)).toEqual(["too-many"])
  })

  test("[HOSTS-63] a giant file is sent whole, and its imports are not parsed", async () => {
    const giant = `@x.md\n${"word ".repeat(LONGEST_LEXED_UNITS / 5)}end`
    const of = async (text: string) => {
      const disk = memoryDisk({ "/w/CLAUDE.md": text, "/w/x.md": "imported" })
      const { items, notes } = await claudeCode.survey(PLACE, disk)
      return { sent: items.map((it) => it.sent), codes: notes.map((it) => it.code) }
    }
    expect(await of(giant)).toEqual({ sent: [giant], codes: ["too-many"] })
    const fits = giant.slice(0, LONGEST_LEXED_UNITS).trim()
    expect(await of(fits)).toEqual({ sent: [fits, "imported"], codes: [] })
    const plain = giant.replace("@", "")
    expect(await of(plain)).toEqual({ sent: [plain], codes: [] })
  })

  test("[HOSTS-63] @ imports are followed up to a limit, with a note", async () => {
    const many = Array.from({ length: MOST_MENTIONS + 10 }, (_, it) => `@n${it}.md`).join(" ")
    for (const host of [claudeCode, copilot, gemini]) {
      const disk = memoryDisk({ "/w/CLAUDE.md": many, "/w/GEMINI.md": many })
      const { notes } = await host.survey(PLACE, disk)
      expect(notes.filter((it) => it.code === "too-many")).toHaveLength(1)
    }
  })
})

describe("linear scanners return the same as the regular expressions they replace", () => {
  const same = (unit: fc.Arbitrary<string>, check: (text: string) => void) =>
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), check),
      fcParameters({ numRuns: 3_000 }),
    )

  test("[HOSTS-63] code between backticks", () => {
    same(fc.constantFrom("`", "``", "a", "\n"), (text) => {
      const matches = [...text.matchAll(/(`+)[\s\S]*?\1/g)]
      const spans = matches.map((it) => ({ from: it.index, to: it.index + it[0].length }))
      expect(backtickSpans(text)).toEqual(spans)
    })
  })

  test("[HOSTS-63] frontmatter", () => {
    same(fc.constantFrom("---", "-", "\n", " ", "\t", "\r\n", "a"), (text) => {
      const block = /^---\s*\n([\s\S]*?)---\s*\n?/.exec(text)
      const { body, hasFrontmatter } = splitFrontmatter(text)
      expect(hasFrontmatter).toBe(block !== null)
      expect(body).toBe(text.slice(block?.[0].length ?? 0))
    })
  })

  test("[HOSTS-63] comments and blank ends", () => {
    same(fc.constantFrom("<!--", "-->", "-", ">", "a"), (text) => {
      expect(removeComments(text)).toBe(text.replace(/<!--[\s\S]*?-->/g, ""))
    })
    same(fc.constantFrom(" ", "\u0085", "\uFEFF", "\n", "a", "😀"), (text) => {
      const expected = text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "")
      expect(trimBlank(text)).toBe(expected)
    })
  })

  test("[HOSTS-63] import names of Copilot", () => {
    same(fc.constantFrom("@", "a", ".md", ".", "/", ")", " ", "-", ".markdown"), (text) => {
      const found = [...text.matchAll(/(?<![\w.\-/])@(?=([^\s`]+))/g)].flatMap((match) => {
        const path = (match[1] ?? "").replace(/[.,;:!?)\]}>'"]+$/, "")
        const end = match.index + 1 + path.length
        return /\.(?:md|markdown)$/i.test(path) ? [{ at: match.index, end, path }] : []
      })
      expect(copilotMentions(text)).toEqual(found)
    })
  })

  test("[HOSTS-63] lines", () => {
    same(fc.constantFrom("\n", "a"), (text) => {
      const lineAt = lineCounter(text)
      const places = Array.from({ length: text.length + 1 }, (_, at) => at)
      const expected = places.map((at) => text.slice(0, at).split("\n").length)
      expect(places.map(lineAt)).toEqual(expected)
    })
  })
})
