import { appendFile } from "node:fs/promises"
import path from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { expect, test } from "vitest"
import { z } from "zod"
import { systemRandom } from "#ground/base"
import { digest } from "#know/ledger"
import { LAUNCHER } from "#test/qm"
import { newFixture } from "./app.fixture.ts"
import { httpCallers, stdioCallers } from "./caller.ts"
import { read } from "./mcp.fixture.ts"

const NOBODY = { client: undefined, session: undefined }
const host = (id: string) => stdioCallers(systemRandom, { CLAUDE_CODE_SESSION_ID: id })

test("[MCP-20] on stdio the session is from the call, else from the host's environment, else the process", () => {
  const id = "0b6f2f3e-8c9d-4d0f-9d38-0c1d5c2f7a11"
  expect(host(id)(NOBODY)).toEqual({ principal: "owner", client: "unnamed", session: id })
  expect(host(id)({ client: "codex", session: "t-1" })).toMatchObject({ session: "t-1" })
  const own = stdioCallers(systemRandom)
  expect(own(NOBODY).session).toMatch(/^stdio\/[0-9a-f]{32}$/)
  expect(own(NOBODY)).toEqual(own(NOBODY))
  expect(stdioCallers(systemRandom)(NOBODY).session).not.toBe(own(NOBODY).session)
})

test.for(["", " ", "a b", "a\n", "\0", "ü", "x".repeat(201)])(
  "[MCP-20] %j is not a host session",
  (id) => {
    expect(host(id)(NOBODY).session).toMatch(/^stdio\//)
  },
)

test("[MCP-3] over HTTP a session that the request names is ignored", () => {
  const callerOf = httpCallers("client-a")
  expect(callerOf({ client: "x", session: "another's" })).toMatchObject({ session: "client-a/x" })
})

const Status = z.object({ branch: z.object({ budget_used: z.int(), is_lower_bound: z.boolean() }) })

test.for<readonly [string, Record<string, string>, Record<string, string>]>([
  ["in the environment", { CLAUDE_CODE_SESSION_ID: "claude-1" }, {}],
  ["with each call", {}, { sessionId: "codex-1" }],
])(
  "[MCP-20] tokens metered by hooks are charged to the session named %s",
  async ([, environment, meta]) => {
    await using fixture = await newFixture(environment)
    const client = new Client({ name: "tester", version: "1.0.0" })
    const env = fixture.environment
    await client.connect(
      new StdioClientTransport({ command: LAUNCHER, args: ["mcp"], env, cwd: fixture.project }),
    )
    const call = async (name: string, given: Readonly<Record<string, unknown>> = {}) =>
      read(await client.callTool({ name, arguments: given, _meta: meta })).fields
    await call("branch", { description: "look", prompt: "look" })
    const session = environment["CLAUDE_CODE_SESSION_ID"] ?? meta["sessionId"] ?? ""
    await using app = await fixture.open()
    const folder = path.join(app.places.repository.stateDirectory, "charges")
    const line = JSON.stringify({ session, tool: "Read", textUnits: 4_000, paths: ["src/tide.ts"] })
    await appendFile(path.join(folder, `${digest(session)}.jsonl`), `${line}\n`)
    const { branch } = Status.parse(await call("branch_status"))
    // 4,000 characters are 1,000 tokens, times 1.3 for a Claude model without recorded usage.
    expect(branch).toEqual({ budget_used: 1_300, is_lower_bound: false })
    await client.close()
  },
)
