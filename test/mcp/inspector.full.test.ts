import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { hostProgram } from "#test/host-programs"
import { needs } from "#test/needs"
import { LAUNCHER } from "#test/qm"
import { NO_LIMITS, type RunningUp, startUp } from "./up.ts"

const LONGEST_RUN_MS = 300_000

const WAYS = [
  ["stdio", "legacy"],
  ["stdio", "modern"],
  ["http", "legacy"],
  ["http", "modern"],
] as const
type Transport = (typeof WAYS)[number]

const CORE = [
  "branch",
  "branch_status",
  "capture",
  "map",
  "memory_feedback",
  "memory_record",
  "memory_search",
  "pack",
  "read_handle",
  "return",
  "search",
]

type ProgramOutput = { readonly code: number; readonly stdout: string; readonly stderr: string }

function run(up: RunningUp, args: readonly string[]): Promise<ProgramOutput> {
  const env = {
    PATH: process.env["PATH"],
    HOME: up.user.home,
    MCP_INSPECTOR_SECRET_STORE: "memory",
  }
  const options = { cwd: up.user.project, env, timeout: LONGEST_RUN_MS }
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
    })
  })
}

/** The address of our server in the format of the inspector's programs. */
function target(
  up: RunningUp,
  transport: Transport[0],
): { before: readonly string[]; after: readonly string[] } {
  if (transport === "stdio") {
    const limits = Object.entries(NO_LIMITS).flatMap(([name, value]) => ["-e", `${name}=${value}`])
    return { before: [LAUNCHER, "mcp"], after: ["--cwd", up.user.project, ...limits] }
  }
  const header = `Authorization: Bearer ${up.token}`
  return { before: [], after: ["--transport", "http", "--server-url", up.url, "--header", header] }
}

/** One method in its own process: `inspector --cli`. */
async function inspect(
  up: RunningUp,
  [transport, era]: Transport,
  args: readonly string[],
): Promise<ProgramOutput> {
  const { before, after } = target(up, transport)
  const quiet = ["--format", "json", "-q", "--protocol-era", era]
  const script = hostProgram("mcp-inspector").args
  return await run(up, [...script, "--cli", ...before, ...after, ...quiet, ...args])
}

/** A persistent connection: `mcpdo` runs it in a background process. */
async function connect(up: RunningUp, [transport, era]: Transport) {
  const [launcher = ""] = hostProgram("mcp-inspector").args
  const script = join(dirname(launcher), "../../mcpdo/build/mcp-bin.js")
  const mcpdo = async (args: readonly string[]): Promise<unknown> => {
    const said = await run(up, [script, "--format", "json", "--connection", "qm", ...args])
    if (said.code !== 0) throw new Error(`${args[0]} ended with ${said.code}: ${said.stderr}`)
    return JSON.parse(said.stdout)
  }
  const { before, after } = target(up, transport)
  await mcpdo(["connect", ...after, "--era", era, ...(before.length > 0 ? ["--", ...before] : [])])
  return {
    mcpdo,
    call: async (tool: string, given: object) =>
      Answer.parse(await mcpdo(["tools/call", tool, "--tool-args-json", JSON.stringify(given)])),
    async [Symbol.asyncDispose]() {
      await run(up, [script, "daemon", "stop"])
    },
  }
}

const Answer = z.object({
  isError: z.boolean().default(false),
  structuredContent: z.record(z.string(), z.unknown()),
})
const Listed = z.object({
  result: z.object({ tools: z.array(z.object({ name: z.string() })) }),
  /** Includes portability warnings, which do not fail the command. */
  schemaFindings: z.array(z.unknown()).default([]),
})
const Load = z.object({
  result: z.object({ requests: z.int(), ok: z.int(), toolErrors: z.int(), errors: z.int() }),
})
const Resources = z.object({ resources: z.array(z.object({ uri: z.string() })) })
const ReadResult = z.object({ contents: z.array(z.object({ uri: z.string(), text: z.string() })) })

describe.runIf(needs("MCP-2", "mcp-inspector"))("the official inspector", () => {
  let up: RunningUp

  beforeAll(async () => {
    up = await startUp(NO_LIMITS)
    await writeFile(join(up.user.project, "kettle.ts"), "export function boilWater() {}\n")
  })

  afterAll(async () => {
    await up[Symbol.asyncDispose]()
  })

  test.each(WAYS)(
    "[MCP-1] over %s, in the %s era, it lists our tools and finds every schema portable",
    { timeout: LONGEST_RUN_MS },
    async (...way) => {
      const { code, stdout, stderr } = await inspect(up, way, [
        "--method",
        "tools/list",
        "--strict",
      ])
      expect(code, stderr).toBe(0)
      const { result, schemaFindings } = Listed.parse(JSON.parse(stdout))
      expect(result.tools.map((it) => it.name).toSorted()).toEqual(CORE)
      expect(schemaFindings).toEqual([])
    },
  )

  test.each(WAYS)(
    "[MCP-2] over %s, in the %s era, it opens a branch, returns from it and reads the package",
    { timeout: LONGEST_RUN_MS },
    async (...way) => {
      await using connected = await connect(up, way)
      const opened = await connected.call("branch", {
        description: "find the kettle",
        prompt: "say where water is boiled",
      })
      const branch_id = opened.structuredContent["branch_id"]
      const packed = await connected.call("pack", { task: "boil water" })
      expect(packed.structuredContent).toMatchObject({ files: [{ path: "kettle.ts" }] })
      const returned = await connected.call("return", { branch_id, message: "In kettle.ts." })
      expect(returned).toMatchObject({
        isError: false,
        structuredContent: { branch_id, status: "completed", message: "In kettle.ts." },
      })
      expect(Number(returned.structuredContent["budget_used"])).toBeGreaterThan(0)

      const listed = Resources.parse(await connected.mcpdo(["resources/list"]))
      const uri = `qm://pack/${String(packed.structuredContent["pack_id"])}`
      expect(listed.resources.map((it) => it.uri)).toContain(uri)
      const read = ReadResult.parse(await connected.mcpdo(["resources/read", uri]))
      expect(read.contents[0]).toMatchObject({ uri, text: expect.stringContaining("boilWater") })
    },
  )

  test.each(WAYS)(
    "[MCP-2] over %s, in the %s era, 300 calls, 8 at once, cause no error",
    { timeout: LONGEST_RUN_MS },
    async (...way) => {
      const call = ["--method", "tools/call", "--tool-name", "branch_status"]
      const load = ["--load", "--load-requests", "300", "--load-concurrency", "8"]
      const { code, stdout, stderr } = await inspect(up, way, [...call, ...load])
      expect(code, stderr).toBe(0)
      const { result } = Load.parse(JSON.parse(stdout))
      expect(result).toEqual({ requests: 300, ok: 300, toolErrors: 0, errors: 0 })
    },
  )
})
