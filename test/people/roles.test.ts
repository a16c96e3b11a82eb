import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import {
  inputFields,
  isRoleEnough,
  loadOperations,
  type Operation,
  ROLES,
  type Role,
  roleFor,
  TOOL_SETS,
} from "#ground/contract"
import { mcpClient } from "../mcp/client.ts"
import { needs } from "#test/needs"
import { type PostgresCluster, startPostgres } from "#test/postgres"
import { bearer, codeOf, newTeam } from "./team.ts"

type Team = Awaited<ReturnType<typeof newTeam>>

const TOO_LOW = "PEOPLE_ROLE_TOO_LOW"
const LONGEST_TEST_MS = 300_000

const operations = await loadOperations()
const overHttp = operations.filter((it) => it.surfaces.includes("http"))

/**
 * A request that the role check sees and the handler does not: an array is no valid input of any
 * operation, and a repeated field is no valid text. A read without fields runs.
 */
function requestOf(operation: Operation) {
  const path = `/api/${operation.name.replace(".", "/")}`
  if (operation.effect === "write") return { method: "POST", path, body: "[]" } as const
  const field = inputFields(operation).find((it) => !it.isList)
  const query = field === undefined ? "" : `?${field.key}=a&${field.key}=b`
  return { path: `${path}${query}` }
}

function rolesOverHttp(open: () => Team): void {
  test.each(ROLES)("[HTTP-30][TB8] over HTTP, each operation admits the role %s exactly as its descriptor says", {
    timeout: LONGEST_TEST_MS,
  }, async (role) => {
    const { server, of } = open()
    const wrong: string[] = []
    for (const operation of overHttp) {
      const headers = bearer(of(role).token)
      const answer = await server.ask({ ...requestOf(operation), token: "none", headers })
      const code = codeOf(answer.text)
      const mayCall = isRoleEnough(role, roleFor(operation))
      const isRight = mayCall
        ? answer.status !== 500 && answer.status !== 401 && answer.status !== 403
        : answer.status === 403 && code === TOO_LOW
      if (!isRight) wrong.push(`${operation.name}: ${answer.status} ${code}`)
    }
    expect(wrong).toEqual([])
    expect(overHttp.length).toBeGreaterThan(150)
  })

  test("[HTTP-30] the REST routes of runs have the roles of their operations", async () => {
    const { server, of } = open()
    const statusOf = async (role: Role, method: string, path: string) => {
      const headers = bearer(of(role).token)
      const body = method === "POST" ? { body: "{}" } : {}
      return (await server.ask({ method, path, token: "none", headers, ...body })).status
    }
    const routes = [
      ["GET", "/api/agents", 200],
      ["GET", "/api/agents/run_none", 404],
      ["GET", "/api/providers", 200],
      ["GET", "/api/health", 200],
      ["POST", "/api/agents/run_none/stop", 404],
      ["DELETE", "/api/agents/run_none", 404],
    ] as const
    for (const [method, path, allowed] of routes) {
      const isRead = method === "GET"
      expect([path, await statusOf("viewer", method, path)]).toEqual([path, isRead ? allowed : 403])
      expect([path, await statusOf("operator", method, path)]).toEqual([path, allowed])
    }
  })
}

/** Values that pass the shown schema of a tool, so that the call reaches its operation. */
const Schema = z.object({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  items: z.unknown().optional(),
  minItems: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
})

function sampleOf(json: unknown): unknown {
  const schema = Schema.parse(json)
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.type === "array") return [sampleOf(schema.items ?? { type: "string" })]
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? 1
  if (schema.type === "boolean") return false
  if (schema.type !== "object") return "none"
  const required = schema.required ?? []
  return Object.fromEntries(required.map((it) => [it, sampleOf(schema.properties?.[it] ?? {})]))
}

describe("SQLite", () => {
  let team: Team
  beforeAll(async () => {
    team = await newTeam({ toolSets: TOOL_SETS })
  })
  afterAll(() => team?.[Symbol.asyncDispose]())
  rolesOverHttp(() => team)

  test.each(ROLES)("[HTTP-31][TB8] over MCP, each tool admits the role %s exactly as its operation says", {
    timeout: LONGEST_TEST_MS,
  }, async (role) => {
    const { port } = team.server
    using client = mcpClient({ port, token: team.of(role).token, name: "some-agent" })
    const listed = await client.ask("tools/list", {}, 0)
    const { tools } = ToolList.parse(listed.body.result)
    const wrong: string[] = []
    for (const { name, inputSchema } of tools) {
      const operation = operationOf(name)
      const { failure } = await client.call(name, z.looseObject({}).parse(sampleOf(inputSchema)))
      const isRefused = failure?.code === TOO_LOW
      const mayCall = isRoleEnough(role, roleFor(operation))
      // The arguments must be valid, or the operation would not have been reached.
      const isReached = failure?.code !== "MCP_ARGUMENTS_INVALID"
      if (isRefused === mayCall || !isReached) wrong.push(`${name}: ${failure?.code}`)
    }
    expect(wrong).toEqual([])
    expect(tools.length).toBeGreaterThan(30)
  })
})

const ToolList = z.object({
  tools: z.array(z.object({ name: z.string(), inputSchema: z.unknown() })),
})

/** By the name that the descriptor gives its tool. */
function operationOf(tool: string): Operation {
  const snake = (name: string) => name.replace(".", "_").replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`)
  const found = operations.find((operation) =>
    [operation.mcp ?? []].flat().some((it) => (it.name ?? snake(operation.name)) === tool),
  )
  if (found === undefined) throw new Error(`no operation has the tool ${tool}`)
  return found
}

describe.runIf(needs("TB8", "postgres"))("Postgres", () => {
  let cluster: PostgresCluster
  let team: Team
  beforeAll(async () => {
    cluster = await startPostgres()
    team = await newTeam({ environment: { QM_DATABASE_URL: await cluster.createDatabase() } })
  })
  afterAll(async () => {
    await team?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })
  rolesOverHttp(() => team)
})

test("[PEOPLE-1] operations that decide about people, settings, credentials or files of the machine need an owner", () => {
  const owner = operations.filter((it) => roleFor(it) === "owner").map((it) => it.name)
  const groups = ["capture", "config", "connection", "credential", "sessions", "store"]
  const opened = operations
    .filter((it) => groups.includes(it.name.split(".")[0] ?? ""))
    .filter((it) => it.surfaces.some((surface) => surface !== "cli"))
    .map((it) => it.name)
    .filter((it) => !owner.includes(it))
  // An agent may ask for a credential; it never sees one. Which hosts exist is no secret.
  expect(opened.toSorted()).toEqual(["capture.hosts", "credential.request"])
  for (const name of ["people.invite", "people.issue", "people.log", "permissions.trust"]) {
    expect(owner).toContain(name)
  }
})
