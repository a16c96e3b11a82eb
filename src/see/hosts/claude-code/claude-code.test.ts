import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import { fcParameters } from "#test/seed"
import { tempDirectory } from "#test/temp"
import { realDisk } from "../files/disk.ts"
import type { HostPlace } from "../host.ts"
import { MOST_FILES_READ } from "../survey-reader.ts"
import { survey } from "./claude-code.ts"

const PLACE: HostPlace = {
  workingDirectory: "/w/p",
  home: "/home/u",
  environment: {},
  platform: "linux",
}

const FOLDERS = ["/w", "/w/p", "/w/p/sub", "/home/u", "/etc/claude-code", "/out", ""]
const NAMES = [
  "CLAUDE.md",
  "AGENTS.md",
  "CLAUDE.local.md",
  ".mcp.json",
  ".git",
  "x.md",
  "secret",
  ".claude.json",
  "managed-settings.json",
  ...["CLAUDE.md", "AGENTS.md", "settings.json", "settings.local.json"].map(
    (it) => `.claude/${it}`,
  ),
  ...["rules/r.md", "rules/d/s.md", "rules", "skills/s/SKILL.md", "skills/l"].map(
    (it) => `.claude/${it}`,
  ),
  ...["commands/c.md", "commands/n/c.md", "agents/a.md", "output-styles/o.md"].map(
    (it) => `.claude/${it}`,
  ),
]

const path = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES))
  .map(([folder, name]) => `${folder}/${name}`)

const setting = fc.record(
  {
    claudeMdExcludes: fc.array(fc.constantFrom("**/x.md", "/w/**", "[", "", "{a,b")),
    autoMemoryEnabled: fc.boolean(),
    outputStyle: fc.constantFrom("o", "x"),
    permissions: fc.constantFrom({ deny: ["Read(x.md)"] }, { deny: ["Read(["] }, 3),
    env: fc.constantFrom({ CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1" }, "x"),
    mcpServers: fc.constantFrom({ a: { command: "x" } }, []),
    projects: fc.constant({ "/w/p": { hasClaudeMdExternalIncludesApproved: true } }),
  },
  { requiredKeys: [] },
)

const text = fc.oneof(
  path.map((it) => `see @${it} and @~/x.md @x.md @../x.md`),
  setting.map((it) => JSON.stringify(it)),
  fc.constantFrom("", "  ", "---\npaths: src/**\n---\n@x.md", "<!-- a -->", "gitdir: /w/.git/x"),
  fc.string(),
)

const planted: fc.Arbitrary<PlantedFile> = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 2, arbitrary: path.map((link) => ({ link })) },
  { weight: 1, arbitrary: fc.constantFrom<PlantedFile>({ dir: true }, { unreadable: "EACCES" }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((it) => Buffer.from(it)) },
)

const tree = fc.dictionary(path, planted, { maxKeys: 14 })

const isGitLookup = (it: string) => /\/(?:\.git|gitdir|commondir)$/.test(it)

describe("Claude Code on arbitrary disks", () => {
  test("[HOSTS-60] a survey never throws, reads within limits and is deterministic", async () => {
    const property = fc.asyncProperty(tree, async (files) => {
      const disk = memoryDisk({ "/w/p/.keep": "", ...files })
      const first = await survey(PLACE, disk)
      expect(disk.reads()).toBeLessThan(1_000)
      const second = await survey(PLACE, memoryDisk({ "/w/p/.keep": "", ...files }))
      expect(second).toEqual(first)
    })
    await fc.assert(property, fcParameters({ numRuns: 300 }))
  })

  test("[HOSTS-60] every path that is read is in the list of searched paths", async () => {
    const property = fc.asyncProperty(tree, async (files) => {
      const disk = memoryDisk({ "/w/p/.keep": "", ...files })
      const { searched, items } = await survey(PLACE, disk)
      const looked = new Set(searched.map((it) => it.path))
      const secretly = [...disk.touched].filter((it) => !looked.has(it) && !isGitLookup(it))
      expect(secretly).toEqual([])
      const named = items.filter((it) => !it.path.startsWith("<")).map((it) => it.path)
      expect(named.filter((it) => !looked.has(it))).toEqual([])
      expect(new Set(searched.map((it) => it.path)).size).toBe(searched.length)
    })
    await fc.assert(property, fcParameters({ numRuns: 300 }))
  })

  test("[HOSTS-5] no instruction file occurs twice", async () => {
    const property = fc.asyncProperty(tree, async (files) => {
      const { items } = await survey(PLACE, memoryDisk({ "/w/p/.keep": "", ...files }))
      const paths = items.filter((it) => it.frame !== "").map((it) => it.path)
      expect(new Set(paths).size).toBe(paths.length)
    })
    await fc.assert(property, fcParameters({ numRuns: 300 }))
  })

  test("[HOSTS-60] files over the limit are not read, with a note", async () => {
    const many = Object.fromEntries(
      Array.from({ length: MOST_FILES_READ + 500 }, (_, it) => [
        `/w/p/.claude/rules/${it}.md`,
        "x",
      ]),
    )
    const disk = memoryDisk(many)
    const { items, notes } = await survey(PLACE, disk)
    expect(disk.reads()).toBeLessThanOrEqual(MOST_FILES_READ)
    expect(items.length).toBeLessThanOrEqual(MOST_FILES_READ)
    expect(notes.map((it) => it.code)).toEqual(["too-many"])
  })

  test("[HOSTS-60] very deep folders are left out below a maximum depth", async () => {
    const deep = `/w/p/.claude/rules/${"d/".repeat(40)}x.md`
    const { items } = await survey(PLACE, memoryDisk({ [deep]: "x" }))
    expect(items).toEqual([])
  })
})

test("[HOSTS-60] in an empty folder on a real disk all searched paths are missing", async () => {
  await using temp = await tempDirectory()
  const place = { ...PLACE, workingDirectory: temp.path, home: `${temp.path}/home` }
  const { items, searched } = await survey(place, realDisk())
  expect(items).toEqual([])
  const own = searched.filter((it) => it.path.startsWith(temp.path))
  expect(new Set(own.map((it) => it.outcome))).toEqual(new Set(["missing"]))
  expect(own.map((it) => it.path)).toEqual(
    expect.arrayContaining([`${temp.path}/CLAUDE.md`, `${temp.path}/home/.claude/settings.json`]),
  )
})

test("[HOSTS-65] a survey has the measured size of the host's own texts and tools, with version and day", async () => {
  const { start } = await survey(PLACE, memoryDisk({ "/w/p/.keep": "" }))
  expect(start?.version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(start?.measuredAt).toMatch(/^\d{4}-\d{2}-\d{2}/)
  expect(start?.baseline.tools.length).toBeGreaterThan(5)
  expect(start?.mcpTools).toMatch(/^(?:loaded|named|server-named|hidden)$/)
})
