import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { captureOperations } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { createApp } from "../app.ts"

const STUB = path.join(import.meta.dirname, "../../../see/sources/stub-server.sh")
const { signal } = new AbortController()
const Take = captureOperations["capture.take"]
const Lint = captureOperations["capture.lint"]

/** A project that declares MCP servers, one of each kind of answer. */
async function newFixture() {
  const temp = await tempDirectory()
  const [home, project] = [path.join(temp.path, "home"), path.join(temp.path, "project")]
  await mkdir(path.join(home, ".claude"), { recursive: true })
  await mkdir(path.join(project, ".claude"), { recursive: true })
  const mcpServers = {
    good: { command: "${SHELL_NAME:-sh}", args: [STUB, "good"], env: { STUB_KEY: "${ABSENT}" } },
    gone: { command: path.join(temp.path, "no-such-program"), args: [] },
    web: {
      type: "http",
      url: "http://127.0.0.1:9/mcp",
      headers: { Authorization: "Bearer ${KEY}" },
    },
  }
  await writeFile(path.join(project, ".mcp.json"), JSON.stringify({ mcpServers }))
  await writeFile(
    path.join(home, ".claude.json"),
    JSON.stringify({ mcpServers: { mine: mcpServers.good } }),
  )
  await writeFile(path.join(project, "CLAUDE.md"), "# Rules\n")
  const environment = { PATH: process.env["PATH"], HOME: home, KEY: "none" }
  const app = await createApp({ directory: project, environment, settings: [], writeLog: () => {} })
  const take = async (input: object) =>
    Take.output.parse(await app.call("capture.take", { host: "claude-code", ...input }, { signal }))
  return {
    project,
    take,
    lint: async () => Lint.output.parse(await app.call("capture.lint", {}, { signal })),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

type CaptureTaken = Awaited<ReturnType<Awaited<ReturnType<typeof newFixture>>["take"]>>

const serversOf = ({ manifest }: CaptureTaken) =>
  Object.fromEntries(
    (manifest.start?.servers ?? []).map((it) => [it.name, [it.source, it.tools.length]]),
  )

test("[CAPTURE-23] servers are not asked without consent, and a project's servers only with trust", async () => {
  await using fixture = await newFixture()
  const quiet = serversOf(await fixture.take({}))
  expect(quiet["good"]).toEqual(["unknown", 0])
  const asked = serversOf(await fixture.take({ askServers: true }))
  expect(asked["mine"]).toEqual(["asked", 1])
  expect(asked["good"]).toEqual(["unknown", 0])
})

test("[CAPTURE-23] asked servers are counted, failures are named, and the next capture remembers", async () => {
  await using fixture = await newFixture()
  const taken = await fixture.take({ askServers: true, trust: true })
  const asked = serversOf(taken)
  expect(asked["good"]).toEqual(["asked", 1])
  expect(asked["gone"]?.[1]).toBe(0)
  expect(asked["web"]?.[1]).toBe(0)
  const again = serversOf(await fixture.take({}))
  expect(again["good"]).toEqual(asked["good"])
})

test("[T5][CAPTURE-24] capture.lint lists a copy and a large file with the edit that removes them", async () => {
  await using fixture = await newFixture()
  const rules = Array.from({ length: 1_000 }, (_, n) => `- Rule ${n}: round quotes half to even.\n`)
  await writeFile(path.join(fixture.project, "CLAUDE.md"), rules.join(""))
  await writeFile(path.join(fixture.project, "CLAUDE.local.md"), rules.join(""))
  const { problems } = await fixture.lint()
  expect(problems.map((it) => it.kind)).toContain("duplicate")
  expect(problems.every((it) => it.edit !== "")).toBe(true)
})
