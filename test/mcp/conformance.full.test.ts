import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { createApp } from "#show/app"
import { serve } from "#show/http"
import { createMcp } from "#show/mcp"
import { hostProgram } from "#test/host-programs"
import { needs } from "#test/needs"
import { readToken } from "#test/server"
import { tempDirectory } from "#test/temp"
import { openFront } from "./front.ts"
import { mountSuite } from "./suite.ts"

const EXPECTED = fileURLToPath(new URL("expected-failures.yml", import.meta.url))

/** A run takes about eight seconds. */
const LONGEST_RUN_MS = 300_000

/** The server of `qm up` with the suite's tools beside ours, on the same core. */
async function suiteServer(directory: string) {
  const home = join(directory, "home")
  const app = await createApp({
    directory,
    environment: { QM_HOME: home },
    settings: [],
    writeLog: () => {},
  })
  const serving = await serve({
    app,
    port: 0,
    mayMove: false,
    tools: async (it) => createMcp({ app: it, tools: ["core"], extend: mountSuite }),
  })
  const front = await openFront({ port: serving.port, token: await readToken(app.places.home) })
  return {
    url: `http://127.0.0.1:${front.port}/mcp`,
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]()
      await serving.close()
      await app[Symbol.asyncDispose]()
    },
  }
}

async function scenariosOf(revision: string): Promise<readonly string[]> {
  const [script = ""] = hostProgram("mcp-conformance").args
  const file = join(dirname(script), `../requirements/${revision}.yaml`)
  const known = parse(await readFile(file, "utf8")) as {
    server: readonly string[]
    not_scored: readonly { scenario: string; leg: string }[]
  }
  const beside = known.not_scored.filter((it) => it.leg === "server").map((it) => it.scenario)
  return [...known.server, ...beside]
}

async function runSuite(revision: string): Promise<{ code: number; said: string }> {
  await using temp = await tempDirectory()
  await using server = await suiteServer(temp.path)
  const { program, args } = hostProgram("mcp-conformance")
  const options = ["--requirements", revision, "--expected-failures", EXPECTED]
  const output = ["--output-dir", join(temp.path, "results")]
  const all = [...args, "server", "--url", server.url, ...options, ...output]
  return await new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], HOME: temp.path, NO_COLOR: "1" }
    execFile(program, all, { cwd: temp.path, env, timeout: LONGEST_RUN_MS }, (error, stdout) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), said: stdout })
    })
  })
}

describe.runIf(needs("MCP-2", "mcp-conformance"))("the official conformance suite", () => {
  test.each(["2025-11-25", "2026-07-28"])(
    "[MCP-2] our server meets the requirements of revision %s",
    { timeout: LONGEST_RUN_MS },
    async (revision) => {
      const { code, said } = await runSuite(revision)
      const summary = said.slice(said.indexOf("=== SUMMARY ==="))
      const ran = [...summary.matchAll(/^[✓✗] ([\w-]+):/gmu)].map((it) => it[1] ?? "")
      expect({ code, ran: ran.toSorted() }, summary).toEqual({
        code: 0,
        ran: (await scenariosOf(revision)).toSorted(),
      })
    },
  )

  test("[MCP-2] the list of expected failures only shrinks", async () => {
    const { server } = parse(await readFile(EXPECTED, "utf8")) as { server: readonly string[] }
    expect(server.length).toBeLessThanOrEqual(5)
  })
})
