import { describe, expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import type { HostPlace } from "../host.ts"
import { survey } from "./claude-code.ts"

const PLACE: HostPlace = {
  workingDirectory: "/r/s",
  home: "/home/u",
  environment: {},
  platform: "linux",
}

type Files = Readonly<Record<string, PlantedFile>>

const surveyOf = (files: Files, place: Partial<HostPlace> = {}) =>
  survey({ ...PLACE, ...place }, memoryDisk({ "/r/s/.keep": "", ...files }))

const head = (fields: string, body = "body") => `---\n${fields}\n---\n${body}`
const json = (value: unknown) => JSON.stringify(value)

async function linesOf(files: Files, place: Partial<HostPlace> = {}) {
  const { items } = await surveyOf(files, place)
  return items.filter((it) => it.load === "name-only").map((it) => it.sent)
}

describe("skills and commands", () => {
  test("[HOSTS-10] the user's come first, then those from the folder up to the repository root", async () => {
    const files = {
      "/r/.git": { dir: true } as const,
      "/.claude/skills/above/SKILL.md": "no",
      "/r/.claude/skills/top/SKILL.md": head("description: top"),
      "/r/s/.claude/skills/b/SKILL.md": head("description: b"),
      "/r/s/.claude/skills/a/SKILL.md": head("description: a"),
      "/r/s/.claude/skills/u/SKILL.md": head("description: not this one"),
      "/home/u/.claude/skills/u/SKILL.md": head("description: the user's"),
      "/etc/claude-code/.claude/skills/m/SKILL.md": head("description: managed"),
      "/home/u/.claude/commands/z.md": "last",
      "/r/s/.claude/commands/ns/c.md": "# Command",
    }
    expect(await linesOf(files)).toEqual([
      "- m: managed",
      "- u: the user's",
      "- a: a",
      "- b: b",
      "- top: top",
      "- ns:c: Command",
      "- z: last",
    ])
    const { items, searched } = await surveyOf(files)
    const top = items.find((it) => it.path === "/r/.claude/skills/top/SKILL.md")
    expect(top).toMatchObject({ later: "body", frame: "", kind: "skills", trust: "project" })
    const lost = searched.find((it) => it.path === "/r/s/.claude/skills/u/SKILL.md")
    expect(lost).toMatchObject({
      outcome: "excluded",
      detail: "overridden by another skill named u",
    })
  })

  test("[HOSTS-10] the search upward ends at the repository root", async () => {
    const files = {
      "/q/.claude/commands/above.md": "above",
      "/q/r/.claude/commands/top.md": "top",
      "/q/r/s/x": "",
    }
    const workingDirectory = "/q/r/s"
    const git = { "/q/r/.git": { dir: true } } as const
    expect(await linesOf({ ...files, ...git }, { workingDirectory })).toEqual(["- top: top"])
    expect(await linesOf(files, { workingDirectory })).toEqual(["- above: above", "- top: top"])
  })

  test("[HOSTS-10] the search upward ends at the home directory", async () => {
    const files = {
      "/home/u/.claude/commands/u.md": "user",
      "/home/.claude/commands/no.md": "above",
      "/home/u/w/.claude/commands/p.md": "parent",
    }
    const workingDirectory = "/home/u/w/p"
    expect(await linesOf({ ...files, "/home/u/w/p/x": "" }, { workingDirectory })).toEqual([
      "- p: parent",
      "- u: user",
    ])
  })

  test("[HOSTS-10] a line has the name and the description, or the first line of the body", async () => {
    const long = "x".repeat(2_000)
    expect(
      await linesOf({
        "/r/s/.claude/skills/a/SKILL.md": head("name: other\ndescription: D: d\nwhen_to_use: W"),
        "/r/s/.claude/skills/b/SKILL.md": head("name: two words\ndescription: |\n  l1\n  <l2>\t&"),
        "/r/s/.claude/skills/c/SKILL.md": head("name: a\ndescription: 42"),
        "/r/s/.claude/skills/d/SKILL.md": `\n## ${"t".repeat(120)}`,
        "/r/s/.claude/skills/e/SKILL.md": "",
        "/r/s/.claude/skills/f/SKILL.md": head(`description: ${long}`),
        "/r/s/.claude/skills/g/SKILL.md": head(`name: ${"n".repeat(300)}\ndescription: [x`),
        "/r/s/.claude/skills/file.md": "not a folder",
        "/r/s/.claude/commands/kit/SKILL.md": head("name: ignored\ndescription: kit"),
        "/r/s/.claude/commands/x.md": "",
        "/r/s/.claude/commands/x.txt": "no",
      }),
    ).toEqual([
      "- a (other): D: d - W",
      "- b: l1 &lt;l2&gt; &",
      "- c: 42",
      `- d: ${"t".repeat(97)}...`,
      "- e: Skill",
      `- f: ${"x".repeat(1_535)}…`,
      "- g: [x",
      "- kit: kit",
      "- x: Custom command",
    ])
  })

  test("[HOSTS-10] user-only commands and skills with `paths` are not listed", async () => {
    const { items } = await surveyOf({
      "/r/s/.claude/skills/a/SKILL.md": head("description: A\ndisable-model-invocation: true"),
      "/r/s/.claude/skills/b/SKILL.md": head('description: B\ndisable-model-invocation: "yes"'),
      "/r/s/.claude/skills/c/SKILL.md": head("description: C\npaths: src/**"),
      "/r/s/.claude/skills/d/SKILL.md": head("description: D"),
      "/r/s/.claude/skills/e/SKILL.md": head("description: E E E"),
      "/r/s/.claude/settings.json": json({
        skillOverrides: { d: "off", e: "name-only" },
        skillListingMaxDescChars: 3,
      }),
    })
    const skills = items.filter((it) => it.source === "skills")
    expect(skills.map((it) => [it.load, it.sent, it.later])).toEqual([
      ["on-demand", "", "body"],
      ["on-demand", "", "body"],
      ["conditional", "", "body"],
      ["on-demand", "", "body"],
      ["name-only", "- e", "body"],
    ])
    expect(skills[2]?.waitsFor).toEqual({ patterns: ["src"], base: "/r/s" })
  })

  test("[HOSTS-10] links are followed, each file is listed once, and a huge file is left out", async () => {
    expect(
      await linesOf({
        "/out/SKILL.md": head("description: out"),
        "/r/s/.claude/skills/l": { link: "/out" },
        "/r/s/.claude/skills/m": { link: "/out" },
        "/r/s/.claude/commands/big.md": Buffer.alloc(1024 * 1024 + 1, "x"),
        "/r/s/.claude/commands/c.md": "c",
        "/r/s/.claude/commands/link.md": { link: "c.md" },
        "/r/s/.claude/commands/loop": { link: "." },
        "/r/s/.claude/commands/dead": { link: "/nowhere" },
      }),
    ).toEqual(["- l: out", "- c: c"])
  })
})

test("[HOSTS-10] an agent has one line; the nearest of a name wins, and managed agents win over all", async () => {
  const files = {
    "/r/.git": { dir: true } as const,
    "/home/u/.claude/agents/a.md": head("name: one\ndescription: user"),
    "/home/u/.claude/agents/m.md": head("name: ma\ndescription: weaker"),
    "/etc/claude-code/.claude/agents/m.md": head("name: ma\ndescription: managed"),
    "/r/.claude/agents/a.md": head("name: one\ndescription: far"),
    "/r/s/.claude/agents/deep/a.md": head("name: one\ndescription: near\ntools: Read, Grep"),
    "/r/s/.claude/agents/b.md": head('name: b\ndescription: "x\\ny"\ntools: "*"'),
    "/r/s/.claude/agents/c.md": head("name: c\ndescription: C\ndisallowedTools: [Bash, Edit]"),
    "/r/s/.claude/agents/d.md": head("name: d\ndescription: D\ntools: A\ndisallowedTools: A"),
    "/r/s/.claude/agents/e.md": head("name: e\ndescription: E\ntools: Read\nmemory: project"),
    "/r/s/.claude/agents/link.md": { link: "b.md" },
    "/r/s/.claude/agents/1.md": head("description: no name"),
    "/r/s/.claude/agents/2.md": head("name: x"),
    "/r/s/.claude/agents/3.md": head('name: "a:b"\ndescription: x'),
    "/r/s/.claude/agents/4.md": head('name: "-a"\ndescription: x'),
  }
  expect(await linesOf(files)).toEqual([
    "- b: x\ny (Tools: All tools)",
    "- c: C (Tools: All tools except Bash, Edit)",
    "- d: D (Tools: None)",
    "- e: E (Tools: Read, Write, Edit)",
    "- ma: managed (Tools: All tools)",
    "- one: near (Tools: Read, Grep)",
  ])
  const off = json({ autoMemoryEnabled: false })
  expect(await linesOf({ ...files, "/r/s/.claude/settings.json": off })).toContain(
    "- e: E (Tools: Read)",
  )
})

test("[HOSTS-10] only the selected output style is sent", async () => {
  const files = {
    "/home/u/.claude/output-styles/s.md": head("name: S", "user's"),
    "/r/s/.claude/output-styles/s.md": head("name: S", "\nproject's\n"),
    "/r/s/.claude/output-styles/plain.md": "Plain.",
  }
  const styles = async (outputStyle: unknown) => {
    const settings = { "/r/s/.claude/settings.json": json({ outputStyle }) }
    const { items } = await surveyOf({ ...files, ...settings })
    const found = items.filter((it) => it.source === "output-style")
    return found.map((it) => [it.frame, it.sent, it.load, it.trust])
  }
  expect(await styles("S")).toEqual([["# Output Style: S\n", "project's", "always", "project"]])
  expect(await styles("plain")).toEqual([
    ["# Output Style: plain\n", "Plain.", "always", "project"],
  ])
  expect(await styles("unknown")).toEqual([])
  expect(await styles(3)).toEqual([])
})
