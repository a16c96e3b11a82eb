import { dirname } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import { fcParameters } from "#test/seed"
import { antigravity } from "./antigravity/antigravity.ts"
import { codex } from "./codex/codex.ts"
import { copilot } from "./copilot/copilot.ts"
import { findSkillFiles, foldersDown, foldersUp } from "./files/folder-walk.ts"
import { gemini } from "./gemini/gemini.ts"
import type { Host, HostPlace } from "./host.ts"
import { createSurveyReader, MOST_FILES_READ } from "./survey-reader.ts"

const HOSTS = [codex, copilot, gemini, antigravity]

const FOLDERS = ["/", "/home", "/w", "/w/a", "/w/a/b", "/far"]
const NAMES = [
  "AGENTS.md",
  "AGENTS.override.md",
  "CLAUDE.md",
  "GEMINI.md",
  "X.md",
  ".git",
  ".git/HEAD",
  ".codex/config.toml",
  ".codex/AGENTS.md",
  ".codex/hooks.json",
  ".codex/skills/s/SKILL.md",
  ".agents/skills/s/SKILL.md",
  ".agents/skills/deep/er/SKILL.md",
  ".agents/skills/loop",
  ".agents/rules/r.md",
  ".agent/workflows/w.md",
  ".github/copilot-instructions.md",
  ".github/instructions/i.instructions.md",
  ".github/skills/k/SKILL.md",
  ".github/agents/a.agent.md",
  ".claude/CLAUDE.md",
  ".claude/commands/c.md",
  ".copilot/copilot-instructions.md",
  ".copilot/settings.json",
  ".copilot/session-state/1/events.jsonl",
  ".codex/sessions/2026/11/15/rollout-1.jsonl",
  ".gemini/settings.json",
  ".gemini/GEMINI.md",
  ".gemini/projects.json",
  ".gemini/trustedFolders.json",
  ".gemini/skills/g/SKILL.md",
  ".mcp.json",
]
const paths = FOLDERS.flatMap((folder) =>
  NAMES.map((name) => `${folder === "/" ? "" : folder}/${name}`),
)

const TEXTS = [
  "",
  " \n",
  "plain",
  "@AGENTS.md @X.md @../X.md @GEMINI.md @/far/X.md",
  "---\nname: n\ndescription: d\napplyTo: '*.ts'\n---\nbody @X.md",
  "---\nname: [\n",
  '{"mcpServers":{"a":{"command":"x"}},"context":{"fileName":["X.md"]},"trustedFolders":["/w"]}',
  '{"/w":"TRUST_FOLDER","projects":{"/w/a/b":"b"}}',
  'project_doc_max_bytes = 5\nproject_doc_fallback_filenames = ["X.md"]\n[projects."/w"]\ntrust_level = "trusted"\n',
  'developer_instructions = "d"\n[[skills.config]]\nname = "n"\nenabled = false\n',
  "{ broken",
  '{"type":"session_meta","payload":{"cwd":"/w/a/b"}}\n',
]

const planted: fc.Arbitrary<PlantedFile> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((it) => Buffer.from(it)) },
  { weight: 2, arbitrary: fc.constantFrom(...paths, ...FOLDERS).map((link) => ({ link })) },
  { weight: 1, arbitrary: fc.constant({ dir: true } as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ unreadable: "EACCES" }, { unreadable: "it is a FIFO" }),
  },
)
const disks = fc.dictionary(fc.constantFrom(...paths), planted, { maxKeys: 40 })

const places: fc.Arbitrary<HostPlace> = fc.record({
  workingDirectory: fc.constantFrom("/w/a/b", "/w", "/home", "/"),
  home: fc.constant("/home"),
  environment: fc.constantFrom(
    {},
    { GEMINI_CLI_TRUST_WORKSPACE: "true", CODEX_HOME: "/far/.codex" },
    { COPILOT_CUSTOM_INSTRUCTIONS_DIRS: "/far,/w", COPILOT_SKILLS_DIRS: "/far" },
  ),
  platform: fc.constant("linux" as const),
})

describe.each(HOSTS)("$name on arbitrary disks", (host) => {
  test("[HOSTS-60] a survey never throws, is deterministic and reads within limits", async () => {
    const property = fc.asyncProperty(disks, places, async (files, place) => {
      const disk = memoryDisk(files)
      const first = await host.survey(place, disk)
      const reads = disk.reads()
      const second = await host.survey(place, disk)
      expect(second).toEqual(first)
      expect(reads).toBeLessThanOrEqual(MOST_FILES_READ)
      await host.readLastSession?.(place, disk)
    })
    await fc.assert(property, fcParameters({ numRuns: 150 }))
  })

  test("[HOSTS-60] every path read is in the list of searched paths, and no other path is read", async () => {
    const property = fc.asyncProperty(disks, places, async (files, place) => {
      const disk = memoryDisk(files)
      const survey = await host.survey(place, disk)
      const listed = new Set(survey.searched.map((it) => it.path))
      for (const item of survey.items) expect(listed).toContain(item.path)
      const strangers = [...disk.touched].filter((it) => !isExpected(it, listed, place))
      expect(strangers).toEqual([])
    })
    await fc.assert(property, fcParameters({ numRuns: 150 }))
  })

  test("[HOSTS-60] thousands of files end at the limit, with a note", async () => {
    const many = Array.from({ length: MOST_FILES_READ + 50 }, (_, at) => [
      crowd(host, at),
      "---\nname: s\ndescription: d\n---\n",
    ])
    const disk = memoryDisk(Object.fromEntries(many))
    const place = {
      workingDirectory: "/w",
      home: "/home",
      environment: {},
      platform: "linux",
    } as const
    const { notes } = await host.survey(place, disk)
    expect(notes.map((it) => it.code)).toContain("too-many")
    expect(disk.reads()).toBeLessThanOrEqual(MOST_FILES_READ)
  })
})

function crowd(host: Host, at: number): string {
  switch (host.name) {
    case "copilot":
      return `/w/.github/instructions/${at}.instructions.md`
    case "gemini":
      return `/home/.gemini/agents/${at}.md`
    case "antigravity":
      return `/w/.agents/rules/${at}.md`
    default:
      return `/home/.agents/skills/${at}/SKILL.md`
  }
}

/** Project markers, the policy of a skill, entries of listed folders, import candidates. */
function isExpected(path: string, listed: ReadonlySet<string>, place: HostPlace): boolean {
  if (listed.has(path)) return true
  const isMarker = /\/\.git(?:\/(?:HEAD|objects|refs))?$/.test(path)
  const isPolicy = path.endsWith("/agents/openai.yaml")
  const isFolderOnTheWay = [...listed].some((it) => it.startsWith(path === "/" ? "/" : `${path}/`))
  const isNamed = /\/(?:AGENTS|X|GEMINI)\.md$/.test(path)
  const isEntry = listed.has(dirname(path))
  const isHere = path === place.workingDirectory
  return [isMarker, isPolicy, isFolderOnTheWay, isNamed, isEntry, isHere].some(Boolean)
}

test("[HOSTS-60] folders are walked up to the root and down again", () => {
  expect(foldersUp("/a/b")).toEqual(["/a/b", "/a", "/"])
  expect(foldersDown("/a", "/a/b/c")).toEqual(["/a", "/a/b", "/a/b/c"])
  expect(foldersDown("/x", "/a/b")).toEqual(["/a/b"])
  expect(foldersUp(`/${"d/".repeat(1_000)}e`).length).toBe(256)
})

test("[HOSTS-60] a missing skills folder is in the list of searched paths", async () => {
  const reader = createSurveyReader(memoryDisk({}))
  const walk = {
    source: "skills",
    deepestLevels: 3,
    followsLinks: true,
    takesLinks: true,
    goesBelowSkills: true,
  }
  expect(await findSkillFiles(reader, "/none", walk)).toEqual([])
  expect(reader.searched()).toEqual([{ path: "/none", source: "skills", outcome: "missing" }])
})
