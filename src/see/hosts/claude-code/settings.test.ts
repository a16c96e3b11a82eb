import { expect, test } from "vitest"
import { memoryDisk, type PlantedFile } from "#test/memory-disk"
import type { HostPlace } from "../host.ts"
import { survey } from "./claude-code.ts"

const PLACE: HostPlace = {
  workingDirectory: "/w/p",
  home: "/home/u",
  environment: {},
  platform: "linux",
}

const json = (value: unknown) => JSON.stringify(value)
const surveyOf = (files: Readonly<Record<string, PlantedFile>>) =>
  survey(PLACE, memoryDisk({ "/w/p/.keep": "", ...files }))

test("[HOSTS-12] settings layers come strongest first, only from the working directory", async () => {
  const { layers, items, notes } = await surveyOf({
    "/etc/claude-code/managed-settings.json": json({ a: 1 }),
    "/etc/claude-code/managed-settings.d/20.json": json({ a: 3 }),
    "/etc/claude-code/managed-settings.d/10.json": json({ a: 2 }),
    "/etc/claude-code/managed-settings.d/.x.json": json({ a: 4 }),
    "/w/.claude/settings.json": json({ a: "parent" }),
    "/w/p/.claude/settings.local.json": "\uFEFF",
    "/w/p/.claude/settings.json": "{ broken",
    "/home/u/.claude/settings.json": { unreadable: "EACCES" },
    "/home/u/.claude.json": json({ numStartups: 1 }),
  })
  expect(layers.map((it) => [it.layer, it.path.replace(/^.*\//, ""), it.outcome])).toEqual([
    ["managed", "20.json", { kind: "found", values: { a: 3 } }],
    ["managed", "10.json", { kind: "found", values: { a: 2 } }],
    ["managed", "managed-settings.json", { kind: "found", values: { a: 1 } }],
    ["command line", "--settings", { kind: "missing" }],
    ["local", "settings.local.json", { kind: "found", values: {} }],
    ["project", "settings.json", { kind: "broken", problem: "it is not valid JSON" }],
    ["user", "settings.json", { kind: "unreadable", reason: "unreadable" }],
  ])
  expect(notes.map((it) => it.code)).toEqual(["file-unreadable", "settings-broken"].toReversed())
  expect(items.map((it) => [it.source, it.scope, it.load, it.sent, it.later, it.trust])).toEqual([
    ["managed-settings", "managed", "config-only", "", "", "own"],
    ["managed-settings", "managed", "config-only", "", "", "own"],
    ["managed-settings", "managed", "config-only", "", "", "own"],
    ["host-state", "user", "config-only", "", "", "own"],
    ["project-settings", "project", "config-only", "", "", "project"],
    ["project-local", "local", "config-only", "", "", "project"],
  ])
})

test("[HOSTS-12] a settings file with a list is invalid, and a missing one is reported as missing", async () => {
  const { layers } = await surveyOf({ "/home/u/.claude/settings.json": "[]" })
  expect(layers.map((it) => it.outcome.kind)).toEqual([
    "missing",
    "missing",
    "missing",
    "missing",
    "broken",
  ])
})

test("[T6][HOSTS-12] settings of the command line are below managed and above local ones, inline or as a file", async () => {
  const files = {
    "/etc/claude-code/managed-settings.json": json({ a: "managed" }),
    "/w/p/.claude/settings.local.json": json({ a: "local", outputStyle: "x" }),
    "/w/p/given.json": json({ a: "given" }),
  }
  const layerOf = async (commandLineSettings: string) => {
    const disk = memoryDisk({ "/w/p/.keep": "", ...files })
    const { layers } = await survey({ ...PLACE, commandLineSettings }, disk)
    expect(layers.map((it) => it.layer).slice(0, 3)).toEqual(["managed", "command line", "local"])
    return layers[1]
  }
  expect(await layerOf('{"a":"inline"}')).toMatchObject({
    path: "--settings",
    outcome: { kind: "found", values: { a: "inline" } },
  })
  expect(await layerOf("given.json")).toMatchObject({
    path: "/w/p/given.json",
    outcome: { kind: "found", values: { a: "given" } },
  })
  expect(await layerOf("none.json")).toMatchObject({ outcome: { kind: "unreadable" } })
  expect(await layerOf("{ broken")).toMatchObject({ outcome: { kind: "broken" } })
})

test("[HOSTS-12] MCP servers of every file have a state", async () => {
  const { mcpServers, items, notes } = await surveyOf({
    "/w/.mcp.json": json({ mcpServers: { up: { url: "https://example.org/x" }, near: {} } }),
    "/w/p/.mcp.json": json({
      mcpServers: {
        near: { command: "run", args: ["-a", 3, "b"] },
        off: { command: "off" },
        on: { type: "sse", url: "https://example.org/s" },
        odd: 3,
      },
    }),
    "/w/p/.claude/settings.json": json({
      disabledMcpjsonServers: ["off"],
      enabledMcpjsonServers: ["on"],
    }),
    "/home/u/.claude.json": json({
      mcpServers: { mine: { command: "m" }, near: { command: "n" } },
      projects: {
        "/w/p": { mcpServers: { priv: { command: "p" } }, disabledMcpServers: ["mine"] },
      },
    }),
  })
  expect(mcpServers.map((it) => [it.name, it.scope, it.transport, it.target, it.state])).toEqual([
    ["priv", "local", "stdio", "p", "connects"],
    ["near", "project", "stdio", "run -a b", "asks first"],
    ["off", "project", "stdio", "off", "disabled in settings"],
    ["on", "project", "sse", "https://example.org/s", "connects"],
    ["up", "project", "http", "https://example.org/x", "asks first"],
    ["near", "project", "http", "", "overridden by a server of the same name"],
    ["mine", "user", "stdio", "m", "switched off"],
    ["near", "user", "stdio", "n", "overridden by a server of the same name"],
  ])
  const files = items.filter((it) => it.source === "mcp-config")
  expect(files.map((it) => [it.path, it.load, it.kind, it.sent])).toEqual([
    ["/w/p/.mcp.json", "config-only", "mcp", ""],
    ["/w/.mcp.json", "config-only", "mcp", ""],
  ])
  expect(notes).toEqual([])
})

test("[HOSTS-12] managed servers replace all others, and a broken file has none", async () => {
  const { mcpServers, notes } = await surveyOf({
    "/etc/claude-code/managed-mcp.json": json({ mcpServers: { m: { command: "m" } } }),
    "/w/p/.mcp.json": json({ mcpServers: { p: { command: "p" } } }),
    "/w/.mcp.json": "{",
  })
  expect(mcpServers.map((it) => [it.name, it.state])).toEqual([
    ["m", "connects"],
    ["p", "blocked by policy"],
  ])
  expect(notes.map((it) => [it.code, it.path])).toEqual([["settings-broken", "/w/.mcp.json"]])
  const all = json({ enableAllProjectMcpServers: true })
  const open = await surveyOf({
    "/w/p/.mcp.json": json({ mcpServers: { p: { command: "p" } } }),
    "/home/u/.claude/settings.json": all,
  })
  expect(open.mcpServers.map((it) => it.state)).toEqual(["connects"])
})
