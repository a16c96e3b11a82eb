import { expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import type { HostPlace } from "../host.ts"
import { antigravity } from "./antigravity.ts"

const PLACE: HostPlace = {
  workingDirectory: "/w/s",
  home: "/home",
  environment: {},
  platform: "linux",
}

function survey(files: Readonly<Record<string, PlantedFile>>) {
  return antigravity.survey(PLACE, memoryDisk({ "/w/.git/HEAD": "", "/w/s/x": "", ...files }))
}

test("[HOSTS-50] the survey is marked as unverified", () => {
  expect(antigravity.isVerified).toBe(false)
  expect(antigravity.factsVersions).toEqual([])
})

test("[HOSTS-50] the user's files come before the project's", async () => {
  const { items, searched } = await survey({
    "/home/.gemini/GEMINI.md": "user",
    "/home/.gemini/AGENTS.md": "user agents",
    "/w/AGENTS.md": "root",
    "/w/s/GEMINI.md": "here",
  })
  expect(items.map((it) => [it.path, it.sent, it.scope])).toEqual([
    ["/home/.gemini/GEMINI.md", "user", "user"],
    ["/home/.gemini/AGENTS.md", "user agents", "user"],
    ["/w/AGENTS.md", "root", "project"],
    ["/w/s/GEMINI.md", "here", "project"],
  ])
  expect(searched.filter((it) => it.outcome === "missing").length).toBeGreaterThan(0)
})

test("[HOSTS-51] the trigger of a rule decides how it is loaded", async () => {
  const rule = (head: string) => `---\n${head}\n---\ntext`
  const { items } = await survey({
    "/w/.agents/rules/a.md": "plain",
    "/w/.agents/rules/b.md": rule("trigger: always_on"),
    "/w/.agents/rules/c.md": rule("trigger: glob\nglobs: '*.ts, *.js'"),
    "/w/.agent/rules/d.md": rule("trigger: glob\nglobs: ['*.md']"),
    "/w/.agent/rules/e.md": rule("trigger: model_decision\ndescription: when asked"),
    "/w/s/.agents/rules/f.md": rule("trigger: manual"),
    "/w/s/.agents/rules/g.md": rule("trigger: glob"),
    "/w/s/.agents/rules/h.txt": "no",
  })
  expect(items.map((it) => [it.load, it.sent, it.later, it.waitsFor?.patterns])).toEqual([
    ["always", "plain", "", undefined],
    ["always", "text", "", undefined],
    ["conditional", "", "text", ["*.ts", "*.js"]],
    ["conditional", "", "text", ["*.md"]],
    ["name-only", "when asked", "text", undefined],
    ["on-demand", "", "text", undefined],
    ["conditional", "", "text", []],
  ])
})

test("[HOSTS-51] a rule that is too long is truncated and noted", async () => {
  const { items, notes } = await survey({ "/w/.agents/rules/a.md": "x".repeat(12_001) })
  expect(items.map((it) => [it.load, it.sent.length])).toEqual([["startup-capped", 12_000]])
  expect(notes.map((it) => it.code)).toEqual(["file-cut"])
})

test("[HOSTS-51] skills and workflows are listed, servers are config", async () => {
  const { items, mcpServers } = await survey({
    "/home/.gemini/antigravity/skills/u/SKILL.md": "---\nname: user\ndescription: d\n---\nx",
    "/w/.agent/skills/p/SKILL.md": "no head",
    "/w/.agents/workflows/ship.md": "---\ndescription: Ships\n---\nsteps",
    "/home/.gemini/antigravity/mcp_config.json": '{"mcpServers":{"a":{"serverUrl":"http://h"}}}',
  })
  expect(items.map((it) => [it.source, it.load, it.sent])).toEqual([
    ["skills", "name-only", "user: d"],
    ["skills", "name-only", "p: "],
    ["workflows", "name-only", "ship: Ships"],
    ["mcp-config", "config-only", ""],
  ])
  expect(mcpServers.map((it) => [it.name, it.target])).toEqual([["a", "http://h"]])
})

test("[HOSTS-61] a rule that links out of the project is external and noted", async () => {
  const { items, notes } = await survey({
    "/out.md": "out",
    "/w/.agents/rules/a.md": { link: "/out.md" },
  })
  expect(items.map((it) => it.trust)).toEqual(["external"])
  expect(notes.map((it) => it.code)).toEqual(["link-outside"])
})

test("[HOSTS-19] the program is found on the PATH without a version", async () => {
  const disk = memoryDisk({ "/bin/agy": "" })
  const found = await antigravity.findInstalled({ ...PLACE, environment: { PATH: "/bin" } }, disk)
  expect(found).toEqual({ program: "/bin/agy", version: undefined, foundAt: "/bin/agy" })
})
