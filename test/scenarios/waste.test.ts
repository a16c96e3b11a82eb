import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import type { OperationInput, OperationName, OperationOutput } from "#ground/contract"
import { createApp } from "#show/app"
import { tempDirectory } from "#test/temp"
import {
  claudeAnswer,
  claudeFile,
  claudePrompt,
  claudeResult,
  sessionIdOf,
  writeLines,
} from "#test/transcripts"

const MINUTE_MS = 60_000
const MODEL = "claude-sonnet-4-5"
const EARLIER = Date.now() - 6 * 60 * MINUTE_MS

type Call = {
  readonly window: number
  readonly cacheRead?: number
  readonly minutes?: number
  readonly result?: readonly [tool: string, text: string]
  readonly compacts?: boolean
}

/** A call with its result; without `cacheRead` all but 1,000 tokens come from the cache. */
function linesOf(
  { name, cwd, startsAt }: { name: string; cwd: string; startsAt: number },
  calls: readonly Call[],
): object[] {
  const sessionId = sessionIdOf(name)
  let at = startsAt
  return calls.flatMap(({ window, cacheRead, minutes = 1, result, compacts }, i) => {
    at += minutes * MINUTE_MS
    const place = { cwd, sessionId, at }
    const read = Math.min(window, cacheRead ?? window - 1_000)
    const usage = { input: 10, output: 50, cacheRead: read, cacheWrite: window - read - 10 }
    const [tool, text] = result ?? ["Bash", "ok"]
    const block = { type: "tool_use", id: `u${i}`, name: tool, input: { file_path: "a.ts" } }
    const timestamp = new Date(at + 2_000).toISOString()
    const compactMetadata = { trigger: "auto", preTokens: window, postTokens: 9_000 }
    return [
      ...(i === 0 ? [claudePrompt(`Work on ${name}`, place)] : []),
      ...claudeAnswer({ id: `${name}${i}`, model: MODEL, usage, blocks: [block] }, place),
      claudeResult(`u${i}`, text, { ...place, at: at + 1_000 }),
      ...(compacts
        ? [{ type: "system", subtype: "compact_boundary", timestamp, compactMetadata }]
        : []),
    ]
  })
}

async function makeFixture() {
  const temp = await tempDirectory()
  const home = path.join(temp.path, "home")
  const project = path.join(temp.path, "project")
  await mkdir(path.join(project, ".git"), { recursive: true })
  await writeFile(path.join(project, ".git", "HEAD"), "ref: refs/heads/main\n")
  await mkdir(home)
  const write = async (file: string, text: string) => {
    const whole = path.join(project, file)
    await mkdir(path.dirname(whole), { recursive: true })
    await writeFile(whole, text)
    return whole
  }
  const session = async (name: string, calls: readonly Call[], startsAt = EARLIER) =>
    writeLines(
      claudeFile(home, project, sessionIdOf(name)),
      linesOf({ name, cwd: project, startsAt }, calls),
    )
  const subAgents = async (name: string, count: number) => {
    const sessionId = sessionIdOf(name)
    const folder = claudeFile(home, project, sessionId).replace(".jsonl", "/subagents")
    for (let i = 0; i < count; i++) {
      const at = { cwd: project, sessionId, at: Date.now() - MINUTE_MS, isSidechain: true }
      const usage = { input: 12_000, output: 20 }
      const blocks = [{ type: "text", text: "done" }]
      await writeLines(
        path.join(folder, `agent-${i}.jsonl`),
        claudeAnswer({ id: `${name}-agent${i}`, model: MODEL, usage, blocks }, at),
      )
    }
  }
  const app = await createApp({
    directory: project,
    environment: { PATH: "", HOME: home },
    settings: [],
    writeLog: () => {},
  })
  const call = async <Name extends OperationName>(name: Name, input: OperationInput<Name>) =>
    (await app.call(name, input, { signal: new AbortController().signal })) as OperationOutput<Name>
  return {
    project,
    write,
    session,
    subAgents,
    call,
    async waste() {
      await call("sessions.import", { all: false })
      return call("sessions.waste", {})
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

type PlantedFixture = Awaited<ReturnType<typeof makeFixture>>

const LONG = "export const tariff = 1\n".repeat(200)
const HUGE = "line of a log with some words in it\n".repeat(12_000)
const GUIDE = Array.from(
  { length: 80 },
  (_, i) => `- Rule ${i}: amounts are integers ${i * 7}`,
).join("\n")
const growing = (count: number): Call[] =>
  Array.from({ length: count }, (_, i) => ({ window: 20_000 + i * 1_000 }))

async function plantAll(it: PlantedFixture) {
  await it.write("src/a.ts", LONG)
  await it.write("CLAUDE.md", `# Shop\n\n@docs/guide.md\n@docs/copy.md\n@docs/large.md\n`)
  await it.write("docs/guide.md", GUIDE)
  await it.write("docs/copy.md", GUIDE)
  await it.write(
    "docs/large.md",
    Array.from({ length: 1_500 }, (_, i) => `${i} is a fact of the shop with words`).join("\n"),
  )
  await it.write(".claude/rules/old.md", "---\npaths: legacy/**/*.pl\n---\n\nOld rules.\n")
  await it.write(".claude/settings.json", JSON.stringify({ enableAllProjectMcpServers: true }))
  await it.write(
    ".mcp.json",
    JSON.stringify({ mcpServers: { postgres: { command: "pg-mcp", args: [] } } }),
  )
  const read = { window: 30_000, result: ["Read", LONG] as const }
  await it.session("reads", [read, { ...read, window: 31_000 }, { ...read, window: 32_000 }])
  await it.session("log", [{ window: 30_000, result: ["Bash", HUGE] }])
  await it.session("server log", [{ window: 30_000, result: ["mcp__ci__logs", HUGE] }])
  await it.session("fan out", growing(2))
  await it.subAgents("fan out", 12)
  await it.session("changed tools", [{ window: 60_000 }, { window: 61_000, cacheRead: 2_000 }])
  await it.session("lunch", [{ window: 60_000 }, { window: 61_000, cacheRead: 2_000, minutes: 70 }])
}

test("[SESSIONS-17] ten planted wastes are found, each with its tokens and what to do", async () => {
  await using it = await makeFixture()
  await plantAll(it)
  const { findings, problems } = await it.waste()
  expect(problems).toEqual([])
  expect(findings.map((one) => one.kind).toSorted()).toEqual([
    "cache-expired",
    "cache-misses",
    "duplicate",
    "idle-rule",
    "oversize-file",
    "oversize-results",
    "oversize-results",
    "repeated-reads",
    "sub-agents",
    "unused-server",
  ])
  const of = (kind: string) => findings.find((one) => one.kind === kind)
  expect(of("cache-misses")).toMatchObject({ tokens: 58_000, per: "period" })
  expect(of("cache-expired")).toMatchObject({ tokens: 58_000 })
  expect(of("sub-agents"), "beyond the fourth").toMatchObject({ tokens: 8 * 12_000 })
  const reads = of("repeated-reads")
  expect(reads?.evidence).toContain("2 reads in 1 session")
  expect(reads?.tokens).toBeGreaterThan(1_000)
  for (const one of findings) expect(one.fix).not.toBe("")
  const sizes = findings.map((one) => one.tokens)
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
})

const CLEAN: readonly (readonly [string, (it: PlantedFixture) => Promise<unknown>])[] = [
  ["a repository without sessions", (it) => it.write("CLAUDE.md", "# Shop\n")],
  ["a session whose prompt grows", (it) => it.session("plain", growing(12))],
  [
    "a file that was read again after it changed",
    (it) =>
      it.session("edits", [
        { window: 30_000, result: ["Read", LONG] },
        { window: 31_000, result: ["Read", LONG.replace("1", "2")] },
      ]),
  ],
  [
    "a file that was read again after a compaction",
    (it) =>
      it.session("compacted", [
        { window: 90_000, result: ["Read", LONG], compacts: true },
        { window: 9_000, cacheRead: 0, result: ["Read", LONG] },
      ]),
  ],
  [
    "four sub-agents and a result below the limit",
    async (it) => {
      await it.session("few", [{ window: 30_000, result: ["Bash", HUGE.slice(0, 30_000)] }])
      await it.subAgents("few", 4)
    },
  ],
]

test.each(CLEAN)("[SESSIONS-17] nothing is found in %s", async (_, prepare) => {
  await using it = await makeFixture()
  await prepare(it)
  expect((await it.waste()).findings).toEqual([])
})

test("[SESSIONS-18] apply edits the file, undo restores its bytes and mode, and the saving is measured", async () => {
  await using it = await makeFixture()
  await plantAll(it)
  const rule = path.join(it.project, ".claude/rules/old.md")
  await chmod(rule, 0o640)
  const local = await it.write(".claude/settings.local.json", '{\n    "env": {}\n}\n')
  const before = { rule: await readFile(rule), local: await readFile(local) }
  const { findings } = await it.waste()
  const idle = findings.find((one) => one.kind === "idle-rule")
  const server = findings.find((one) => one.kind === "unused-server")
  expect(idle?.change).toMatchObject({ file: ".claude/rules/old.md", action: "delete" })
  expect(server?.change).toMatchObject({ file: ".claude/settings.local.json", action: "edit" })

  await it.call("sessions.apply", { finding: idle?.id ?? "" })
  await it.call("sessions.apply", { finding: server?.id ?? "" })
  await expect(stat(rule)).rejects.toThrow("ENOENT")
  expect(JSON.parse(await readFile(local, "utf8"))).toEqual({
    env: {},
    disabledMcpjsonServers: ["postgres"],
  })
  const after = await it.waste()
  expect(after.findings.map((one) => one.kind)).not.toContain("idle-rule")
  expect(after.findings.map((one) => one.kind)).not.toContain("unused-server")
  expect(after.applied.map((one) => one.realisedTokens)).toEqual([null, null])
  await it.session("later", [{ window: 22_000 }], Date.now())
  const [measured] = (await it.waste()).applied
  expect(measured, "30,000 before, 22,000 after").toMatchObject({
    realisedTokens: 8_000,
    sessionsAfter: 1,
  })

  await it.call("sessions.undo", { fix: idle?.id ?? "" })
  await it.call("sessions.undo", { fix: server?.id ?? "" })
  expect(await readFile(rule)).toEqual(before.rule)
  expect((await stat(rule)).mode & 0o777).toBe(0o640)
  expect(await readFile(local)).toEqual(before.local)
  expect((await it.waste()).applied).toEqual([])
})

test("[SESSIONS-18] a dismissed finding is listed apart until it is restored", async () => {
  await using it = await makeFixture()
  await plantAll(it)
  const before = (await it.waste()).findings
  const reads = before.find((one) => one.kind === "repeated-reads")
  const id = reads?.id ?? ""
  for (const _ of [1, 2]) await it.call("sessions.dismiss", { finding: id })
  const after = await it.waste()
  expect(after.findings).toEqual(before.filter((one) => one.id !== id))
  expect(after.dismissed).toEqual([reads])
  expect(after.applied).toEqual([])
  const restored = await it.call("sessions.dismiss", { finding: id, restore: true })
  expect(restored).toEqual({ id, isDismissed: false })
  expect(await it.waste()).toMatchObject({ findings: before, dismissed: [] })
  for (const restore of [true, false]) {
    await expect(it.call("sessions.dismiss", { finding: "../x", restore })).rejects.toMatchObject({
      code: "SESSIONS_WASTE_UNKNOWN",
    })
  }
})

test("[SESSIONS-18] undo also removes the folder that apply created", async () => {
  await using it = await makeFixture()
  await plantAll(it)
  const folder = path.join(it.project, ".claude")
  await rm(folder, { recursive: true })
  const server = (await it.waste()).findings.find((one) => one.kind === "unused-server")?.id ?? ""
  await it.call("sessions.apply", { finding: server })
  expect(await readdir(folder)).toEqual(["settings.local.json"])
  await it.call("sessions.undo", { fix: server })
  await expect(stat(folder)).rejects.toThrow("ENOENT")
})

test("[SESSIONS-18] a file that changed since is not overwritten, and a finding without edit says so", async () => {
  await using it = await makeFixture()
  await plantAll(it)
  const { findings } = await it.waste()
  const server = findings.find((one) => one.kind === "unused-server")?.id ?? ""
  await it.call("sessions.apply", { finding: server })
  const file = await it.write(".claude/settings.local.json", "{}\n")
  await expect(it.call("sessions.undo", { fix: server })).rejects.toMatchObject({
    code: "SESSIONS_WASTE_FILE_CHANGED",
  })
  expect(await readFile(file, "utf8")).toBe("{}\n")
  const copy = findings.find((one) => one.kind === "duplicate")?.id ?? ""
  await expect(it.call("sessions.apply", { finding: copy })).rejects.toMatchObject({
    code: "SESSIONS_WASTE_NO_EDIT",
  })
  await expect(it.call("sessions.undo", { fix: "../../x" })).rejects.toMatchObject({
    code: "SESSIONS_WASTE_UNKNOWN",
  })
})
