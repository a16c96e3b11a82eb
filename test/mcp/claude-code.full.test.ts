import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { FoldShow } from "#ground/contract"
import { hostProgram } from "#test/host-programs"
import { scriptedAnthropic } from "#test/model-anthropic"
import { needs } from "#test/needs"
import { LAUNCHER } from "#test/qm"
import { readToken, send } from "#test/server"
import { launchChromium } from "../browser/chromium.ts"
import { type ConsoleFixture, startConsole } from "../browser/console-fixture.ts"
import { settle, visit } from "../browser/visit.ts"
import { resultsIn, type Step, type ToolResult, tell, toolsIn } from "./host-story.ts"

const LONGEST_RUN_MS = 300_000

function newToken(): string {
  return `ghp_${randomBytes(18).toString("hex")}`
}

/** The id in the answer of `branch`, as a model would read it. */
function branchIn(results: readonly ToolResult[]): string {
  const found = /(br_[a-z0-9]+)/.exec(results[0]?.text ?? "")?.[1]
  if (found === undefined) throw new Error(`no branch in ${JSON.stringify(results)}`)
  return found
}

function storyWith(token: string, project: string): readonly Step[] {
  const file_path = join(project, "kettle.ts")
  return [
    () => ({
      name: "mcp__qm__branch",
      input: { description: "find the kettle", prompt: `say where water is boiled, not ${token}` },
    }),
    () => ({ name: "mcp__qm__search", input: { query: "boil water" } }),
    () => ({ name: "Read", input: { file_path } }),
    (results) => ({
      name: "mcp__qm__branch_status",
      input: { branch_id: branchIn(results), progress: `found it, and ${token}` },
    }),
    (results) => ({
      name: "mcp__qm__return",
      input: {
        branch_id: branchIn(results),
        message: `Water is boiled in kettle.ts. The token is ${token}.`,
        evidence: [`kettle.ts:1 ${token}`],
        open_questions: [`who owns ${token}?`],
      },
    }),
  ]
}

function logOf(fixture: ConsoleFixture): string {
  return join(fixture.home, "qm-mcp.log")
}

/** Runs Claude Code in print mode with our server as its only one, and returns its final output. */
async function runHost(fixture: ConsoleFixture, url: string): Promise<string> {
  // Output goes to our file, because the host would store it among its own.
  const log = logOf(fixture)
  const command = { command: "/bin/sh", args: ["-c", `exec "$0" mcp 2>"$1"`, LAUNCHER, log] }
  const config = join(fixture.home, "mcp.json")
  const env = { QM_LOG_LEVEL: "debug" }
  await writeFile(config, JSON.stringify({ mcpServers: { qm: { ...command, env } } }))
  const tools = ["branch", "search", "branch_status", "return"].map((it) => `mcp__qm__${it}`)
  const { program } = hostProgram("claude-code")
  const child = spawn(
    program,
    [
      "-p",
      "find the kettle",
      "--output-format",
      "json",
      "--mcp-config",
      config,
      "--strict-mcp-config",
      "--allowedTools",
      ["Read", ...tools].join(","),
    ],
    {
      cwd: fixture.project,
      env: {
        PATH: process.env["PATH"],
        HOME: fixture.home,
        TERM: "dumb",
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: "not-a-key",
        DISABLE_TELEMETRY: "1",
        DISABLE_AUTOUPDATER: "1",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LONGEST_RUN_MS,
      killSignal: "SIGKILL",
    },
  )
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
  }
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve))
  if (code !== 0) throw new Error(`the host ended with ${code}: ${said.slice(-2_000)}`)
  return said
}

async function ourFiles(fixture: ConsoleFixture): Promise<ReadonlyMap<string, Buffer>> {
  const folders = [".qm", ".git/qm"].map((it) => join(fixture.project, it))
  const found = new Map([[logOf(fixture), await readFile(logOf(fixture))]])
  for (const folder of [join(fixture.home, ".qm"), ...folders].filter((it) => existsSync(it))) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    for (const entry of entries.filter((it) => it.isFile())) {
      const file = join(entry.parentPath, entry.name)
      found.set(file, await readFile(file))
    }
  }
  return found
}

async function lived(fixture: ConsoleFixture, token: string) {
  await writeFile(join(fixture.project, "kettle.ts"), "export function boilWater() {}\n")
  await using model = await scriptedAnthropic(tell(storyWith(token, fixture.project)))
  await runHost(fixture, model.url)
  const asked = model.messages().filter((it) => toolsIn(it).length > 0)
  const [first, last] = [asked[0], asked.at(-1)]
  if (first === undefined || last === undefined) throw new Error("the host offered no tools")
  return { tools: toolsIn(first), results: resultsIn(last) }
}

describe.runIf(needs("F5", "claude-code"))("the real Claude Code with our tools", () => {
  const token = newToken()
  let fixture: ConsoleFixture
  let life: Awaited<ReturnType<typeof lived>>

  beforeAll(async () => {
    fixture = await startConsole({ backups: 0 })
    life = await lived(fixture, token)
  }, LONGEST_RUN_MS)

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]()
  })

  test("[MCP-1] the host lists branch and return at once, and calls the tools that the model requests", () => {
    expect(life.tools).toEqual(expect.arrayContaining(["mcp__qm__branch", "mcp__qm__return"]))
    expect(life.results.filter((it) => it.isError)).toEqual([])
    expect(life.results).toHaveLength(5)
    expect(life.results[1]?.text).toContain("kettle.ts")
    expect(life.results[4]?.text).toContain("completed")
  })

  test("[F5] the branch is stored with its cost and its trail", async () => {
    const { stdout } = await fixture.qm(["fold", "show", branchIn(life.results), "--json"])
    const { branch, trail } = FoldShow.parse(JSON.parse(stdout))
    expect(branch).toMatchObject({
      status: "completed",
      endReason: "returned",
      client: "claude-code",
      isLowerBound: true,
      result: expect.stringContaining("Water is boiled in kettle.ts."),
    })
    expect(branch.budgetUsed).toBeGreaterThan(0)
    expect(branch.redactions).toBeGreaterThanOrEqual(4)
    expect(trail.map((it) => it.kind)).toEqual(
      expect.arrayContaining(["prompt", "call", "progress", "result"]),
    )
    expect(trail.find((it) => it.tool === "search")?.text).toContain("kettle.ts")
  })

  test("[F5] the token in the model's text is in no answer of our tools", () => {
    expect(JSON.stringify(life.results)).not.toContain(token)
  })

  test("[F5] the token is in no output of the command line or the API", async () => {
    const id = branchIn(life.results)
    const headers = { authorization: `Bearer ${await readToken(join(fixture.home, ".qm"))}` }
    for (const path of [`show?id=${id}`, "list", "tree", `restore?id=${id}`]) {
      const answer = await send(fixture.port, { path: `/api/fold/${path}`, headers })
      expect([path, answer.status, answer.text.includes(token)]).toEqual([path, 200, false])
    }
    for (const args of [["show", id], ["list"], ["tree"], ["restore", id]]) {
      const { code, stdout, stderr } = await fixture.qm(["fold", ...args, "--json"])
      expect([args, code, `${stdout}${stderr}`.includes(token)]).toEqual([args, 0, false])
    }
  })

  test("[F5] the token is not on the console's page", async () => {
    await using chromium = await launchChromium()
    const show = branchIn(life.results)
    await using window = await visit(chromium.browser, fixture, { path: "/folds" })
    for (const [tab, words] of [
      ["result", "Water is boiled in kettle.ts."],
      ["trail", "search"],
      ["prompt", "say where water is boiled"],
      ["restored", "Water is boiled in kettle.ts."],
    ] as const) {
      await window.page.goto(`${fixture.url}/folds?show=${show}&tab=${tab}`)
      await settle(window.page)
      await window.page.getByText(words).first().waitFor()
      expect([tab, (await window.page.content()).includes(token)]).toEqual([tab, false])
    }
  })

  test("[F5] the token is in none of our files, including store and logs", async () => {
    const files = await ourFiles(fixture)
    expect([...files.keys()].filter((it) => it.endsWith("store.db"))).toHaveLength(1)
    expect(files.get(logOf(fixture))?.length).toBeGreaterThan(0)
    const leaks = [...files].filter(([, bytes]) => bytes.includes(token)).map(([file]) => file)
    expect(leaks).toEqual([])
  })
})
