import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { loadHost, realDisk } from "#see/hosts"
import type { TestedHost } from "#test/host-programs"
import { needs } from "#test/needs"
import { rowsOfThisRun } from "#test/seed"
import { readClaudeStart } from "./start-parts.ts"
import { emptyHome, firstRequest, PROMPT } from "./start-run.ts"

const DAY_MS = 24 * 60 * 60 * 1_000

type Scene = {
  readonly name: string
  readonly skills: number
  /** Length of the description of a skill, by its number. */
  length(at: number): number
  readonly model?: string
  readonly env?: Readonly<Record<string, string>>
  readonly word?: string
  readonly files?: Readonly<Record<string, string>>
}

const varied = (at: number) => 20 + ((at * 7_919) % 700)

const CLAUDE_SCENES: readonly Scene[] = [
  { name: "20 skills fit", skills: 20, length: varied },
  { name: "60 of equal length", skills: 60, length: () => 300 },
  { name: "120 of equal length", skills: 120, length: () => 300 },
  { name: "200 of varied length", skills: 200, length: varied },
  { name: "300 of varied length", skills: 300, length: varied },
  { name: "120 longer than a line may be", skills: 120, length: () => 2_000 },
  { name: "120 with wide characters", skills: 120, length: () => 150, word: "日本 語é " },
  { name: "an older model", skills: 60, length: () => 300, model: "claude-sonnet-4-5" },
  {
    name: "an older model with a long window",
    skills: 300,
    length: varied,
    model: "claude-sonnet-4-5[1m]",
  },
  {
    name: "a fixed budget",
    skills: 60,
    length: () => 300,
    env: { SLASH_COMMAND_TOOL_CHAR_BUDGET: "12000" },
  },
  {
    name: "a share from the settings, and uses",
    skills: 120,
    length: () => 300,
    files: {
      "home/.claude/settings.json": '{"skillListingBudgetFraction":0.005}',
      "home/.claude.json": JSON.stringify({
        skillUsage: {
          s119: { usageCount: 9, lastUsedAt: Date.now() - DAY_MS },
          s118: { usageCount: 1, lastUsedAt: Date.now() - 60 * DAY_MS },
        },
      }),
    },
  },
]

const CODEX_SCENES: readonly Scene[] = [
  { name: "20 skills fit", skills: 20, length: varied },
  { name: "120 of equal length", skills: 120, length: () => 300 },
  { name: "300 of varied length", skills: 300, length: varied },
  { name: "120 with wide characters", skills: 120, length: () => 250, word: "日本 語é " },
  {
    name: "names alone exceed the budget",
    skills: 120,
    length: () => 100,
    files: { "home/.codex/config.toml": "model_context_window = 40000\n" },
  },
]

async function compare(host: TestedHost, scene: Scene) {
  await using home = await emptyHome()
  const folder = host === "codex" ? "home/.agents/skills" : "home/.claude/skills"
  for (let at = 0; at < scene.skills; at++) {
    const name = `s${String(at).padStart(3, "0")}`
    const text = (scene.word ?? "word ").repeat(scene.length(at)).slice(0, scene.length(at)).trim()
    const body = `---\nname: ${name}\ndescription: ${text}\n---\nbody\n`
    await plant(join(home.root, folder, name, "SKILL.md"), body)
  }
  for (const [name, text] of Object.entries(scene.files ?? {})) {
    await plant(join(home.root, name), text)
  }
  const environment = { ...scene.env, ...(scene.model && { ANTHROPIC_MODEL: scene.model }) }
  const body = await firstRequest(host, { ...home, env: environment })
  const survey = await (await loadHost(host)).survey(
    { workingDirectory: home.cwd, home: home.home, environment, platform: "linux" },
    realDisk(),
  )
  const listed = survey.items.filter((it) => it.source === "skills" && it.load === "name-only")
  return { body, lines: listed.map((it) => it.sent), listing: survey.start?.listing }
}

async function plant(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

const isOwn = (line: string) => /^- s\d{3}\b/.test(line)

describe.runIf(needs("HOSTS-64", "claude-code"))(
  "the skill listing of the real Claude Code",
  () => {
    test.each(rowsOfThisRun(CLAUDE_SCENES, 3))(
      "[T2][HOSTS-64] $name: the same skills keep their description",
      async (scene) => {
        const { body, lines, listing } = await compare("claude-code", scene)
        const sent = readClaudeStart(body, PROMPT).skills.split("\n").filter(isOwn)
        expect(lines).toEqual(sent)
        expect(listing?.shortened).toHaveLength(sent.filter((it) => !it.includes(":")).length)
      },
    )
  },
)

const CodexBody = z.object({
  input: z.array(z.object({ content: z.array(z.object({ text: z.string() })).default([]) })),
})

describe.runIf(needs("HOSTS-64", "codex"))("the skill listing of the real Codex", () => {
  test.each(rowsOfThisRun(CODEX_SCENES, 2))(
    "[T2][HOSTS-64] $name: descriptions are shortened alike",
    async (scene) => {
      const { body, lines } = await compare("codex", scene)
      const texts = CodexBody.parse(body).input.flatMap((it) => it.content.map((part) => part.text))
      const skills = texts.find((it) => it.startsWith("<skills_instructions>")) ?? ""
      expect(lines.filter(isOwn)).toEqual(skills.split("\n").filter(isOwn))
    },
  )
})
