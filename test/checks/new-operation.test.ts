import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"
import type { ExtraOperations } from "#show/app"
import { type ExtraCommands, runCli } from "#show/cli"
import { newServer } from "#test/server"
import { tempDirectory } from "#test/temp"
import { tideHandlers } from "./new-operation/handlers.ts"
import { tideOperations } from "./new-operation/operations.ts"
import { tideRenderers } from "./new-operation/renderers.ts"
import { REPOSITORY } from "./plant-files.ts"

const EXTRA: ExtraOperations = {
  operations: tideOperations,
  load: async () => ({ tide: tideHandlers() }),
}

test("[CONTRACT-9] a new operation is a descriptor, a handler and a renderer, and no fourth file", () => {
  const files = readdirSync(path.join(import.meta.dirname, "new-operation"))
  expect(files.toSorted()).toEqual(["handlers.ts", "operations.ts", "renderers.ts"])
  const sources = ["src", "console/src", "scripts"].flatMap((folder) =>
    readdirSync(path.join(REPOSITORY, folder), { recursive: true, withFileTypes: true }),
  )
  const mentioning = sources
    .filter((it) => it.isFile() && /\.tsx?$/.test(it.name))
    .map((it) => path.join(it.parentPath, it.name))
    .filter((file) => /\btide(?:Operations|Handlers|[._]next)\b/.test(readFileSync(file, "utf8")))
  expect(mentioning).toEqual([])
})

async function type(extra: ExtraCommands, ...argv: readonly string[]) {
  await using home = await tempDirectory()
  const written = { stdout: "", stderr: "" }
  const sink = (name: keyof typeof written) => ({
    isTerminal: false,
    write: (text: string) => {
      written[name] += text
    },
  })
  const none = () => Promise.resolve(0)
  const code = await runCli({
    argv,
    environment: { QM_HOME: home.path },
    directory: home.path,
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    signal: new AbortController().signal,
    entryPoints: {
      up: none,
      open: none,
      token: none,
      mcp: none,
      acp: none,
      hook: none,
      statusline: none,
      keep: none,
      attack: async () => [],
    },
    extra,
  })
  return { code, ...written }
}

test("[CONTRACT-9] a new operation is a command with help, completion, flags, text and JSON", async () => {
  const renderers = { ...EXTRA, renderers: tideRenderers }
  expect((await type(renderers, "help", "--all")).stdout).toMatch(/ tide next +Show when the next/)
  const help = (await type(renderers, "help", "tide", "next")).stdout
  expect(help).toContain("Usage  qm tide next <harbour> [flags]")
  expect(help).toContain("--after-hours <number>  Earliest time, in hours")
  expect((await type(renderers, "complete", "--", "tide", "n")).stdout).toBe(
    "next\tShow when the next high tide is\n",
  )
  const typed = ["tide", "next", "Rotterdam", "--after-hours", "13"]
  expect(await type(renderers, ...typed)).toEqual({
    code: 0,
    stdout: "High tide at Rotterdam in 24 hours\n",
    stderr: "",
  })
  const answer = { harbour: "Rotterdam", inHours: 24 }
  expect(JSON.parse((await type(renderers, ...typed, "--json")).stdout)).toEqual(answer)
  expect(JSON.parse((await type(EXTRA, ...typed)).stdout)).toEqual(answer)
  expect((await type(EXTRA, "tide", "next")).stderr).toContain("CLI_ARGUMENT_MISSING")
})

test("[CONTRACT-9] a new operation is a route, part of OpenAPI, a palette entry and a tool", async () => {
  await using server = await newServer({ extra: EXTRA })
  const get = async (path: string) => JSON.parse((await server.ask({ path })).text)
  expect(await get("/api/tide/next?harbour=Rotterdam&afterHours=1")).toEqual({
    harbour: "Rotterdam",
    inHours: 12,
  })
  const described = (await get("/api/openapi.json")).paths["/api/tide/next"].get
  expect(described).toMatchObject({
    operationId: "tide.next",
    parameters: [{ name: "harbour" }, {}],
  })
  const { operations } = await get("/api/operations")
  expect(operations).toContainEqual(
    expect.objectContaining({
      name: "tide.next",
      summary: "Show when the next high tide is",
      effect: "read",
      input: expect.objectContaining({ required: ["harbour"] }),
    }),
  )
  const app = server.app()
  const { createMcp } = await import("#show/mcp")
  const mcp = createMcp({ app, tools: ["core"] })
  const call = (method: string, params: object) =>
    mcp.fetch(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }),
      { principal: "owner" },
    )
  const listed = await (await call("tools/list", {})).text()
  expect(listed).toContain("tide_next")
  const given = { name: "tide_next", arguments: { harbour: "Rotterdam", after_hours: 1 } }
  expect(await (await call("tools/call", given)).text()).toContain("in_hours")
  await mcp.close()
})
