import type { FastifyInstance, FastifyRequest } from "fastify"
import { z } from "zod"
import { invariant } from "#ground/base"
import {
  AGENT_TYPES,
  AgentsList,
  AgentsMessages,
  AgentsProviders,
  AgentType,
  agentsOperations,
  describeIssue,
  Message,
  type Operation,
  Provider,
  Run,
  RunConfiguration,
} from "#ground/contract"
import type { Store } from "#ground/store"
import type { App } from "#show/app"
import { AgentTypeUnknown, BodyInvalid } from "./errors.ts"
import { callerOf, type Gate } from "./guard/gate.ts"
import { bodyOf, queryOf, signalOf } from "./request.ts"
import { readQuery } from "./routes.ts"

const MOST_RUNS_COUNTED = 500

/** Default `limit` of GET /api/agents/:id/messages. */
const DOOR_PAGE_MESSAGES = 1_000

type DoorDeps = {
  readonly app: App
  readonly gate: Gate
  readonly operations: readonly Operation[]
  readonly store: Store
  readonly version: string
}

type DoorRequest = {
  readonly id: string
  body(): unknown
  /** The query, parsed by that operation's input types. */
  query(operation: DoorOperation): Record<string, unknown>
  call(operation: DoorOperation, input: unknown): Promise<unknown>
}

type DoorOperation = Extract<keyof typeof agentsOperations, `agents.${string}`>

/** REST routes of runs. Each calls an operation. */
export type DoorRoute = {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: `/api/${string}`
  readonly summary: string
  readonly status: 200 | 201 | 202 | 204
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  readonly result?: z.ZodType
  answer(asked: DoorRequest, deps: DoorDeps): Promise<unknown>
}

const StartBody = z.strictObject({
  type: AgentType.describe("The agent to start"),
  prompt: z.string().describe("The task"),
  configuration: RunConfiguration.prefault({}),
})
const SendBody = z.strictObject({ text: z.string().describe("The next prompt") })
const Started = z.object({ agentId: z.string() })
const Health = z.object({
  status: z.enum(["ok", "read-only"]),
  version: z.string(),
  readOnly: z.boolean().describe("True if the store accepts no writes"),
  running: z.int().nonnegative().describe("Runs that are working or waiting for an approval"),
})

const AT_WORK = ["starting", "running", "waiting"]

export const DOOR_ROUTES: readonly DoorRoute[] = [
  {
    method: "POST",
    path: "/api/agents",
    summary: "Start an agent on a task",
    status: 201,
    body: StartBody,
    result: Started,
    async answer({ body, call }) {
      const run = Run.parse(await call("agents.start", startInput(body())))
      return { agentId: run.id }
    },
  },
  {
    method: "GET",
    path: "/api/agents",
    summary: "List runs, newest first",
    status: 200,
    query: agentsOperations["agents.list"].input,
    result: z.array(Run),
    answer: async ({ query, call }) =>
      AgentsList.parse(await call("agents.list", query("agents.list"))).runs,
  },
  {
    method: "GET",
    path: "/api/agents/:id",
    summary: "Show one run",
    status: 200,
    result: Run,
    answer: ({ id, call }) => call("agents.show", { id }),
  },
  {
    method: "DELETE",
    path: "/api/agents/:id",
    summary: "Stop a run and delete its messages",
    status: 204,
    async answer({ id, call }) {
      await call("agents.delete", { id })
    },
  },
  {
    method: "GET",
    path: "/api/agents/:id/messages",
    summary: "List the messages of a run after a sequence number",
    status: 200,
    query: agentsOperations["agents.messages"].input.omit({ id: true }),
    result: z.array(Message),
    async answer({ id, query, call }) {
      const input = { limit: DOOR_PAGE_MESSAGES, ...query("agents.messages"), id }
      return AgentsMessages.parse(await call("agents.messages", input)).messages
    },
  },
  {
    method: "POST",
    path: "/api/agents/:id/messages",
    summary: "Send the next prompt to a run",
    status: 202,
    body: SendBody,
    result: Run,
    answer: ({ id, body, call }) => call("agents.send", { ...parseBody(SendBody, body()), id }),
  },
  {
    method: "POST",
    path: "/api/agents/:id/stop",
    summary: "Stop a run and keep its messages",
    status: 200,
    result: Run,
    answer: ({ id, call }) => call("agents.stop", { id }),
  },
  {
    method: "GET",
    path: "/api/providers",
    summary: "List agents and whether they are installed",
    status: 200,
    result: z.array(Provider),
    answer: async ({ call }) => AgentsProviders.parse(await call("agents.providers", {})).providers,
  },
  {
    method: "GET",
    path: "/api/health",
    summary: "Show the state of the server and the number of runs",
    status: 200,
    result: Health,
    async answer({ call }, { store, version }) {
      const input = { status: AT_WORK, limit: MOST_RUNS_COUNTED }
      const running = AgentsList.parse(await call("agents.list", input)).runs.length
      const readOnly = store.stopped() !== undefined
      return { status: readOnly ? "read-only" : "ok", version, readOnly, running }
    },
  },
]

export function addAgentsDoor(fastify: FastifyInstance, deps: DoorDeps): void {
  for (const route of DOOR_ROUTES) {
    fastify.route({
      method: route.method,
      url: route.path,
      handler: async (request, reply) => {
        const signal = signalOf(reply)
        const result = await route.answer(askedOf(request, { ...deps, signal }), deps)
        return reply.code(route.status).send(result)
      },
    })
  }
}

const Params = z.object({ id: z.string().default("") })

function askedOf(
  request: FastifyRequest,
  { app, gate, operations, signal }: DoorDeps & { readonly signal: AbortSignal },
): DoorRequest {
  const caller = callerOf(gate.senderOf(request.raw))
  return {
    id: Params.parse(request.params).id,
    body: () => bodyOf(request),
    query(name) {
      const operation = operations.find((it) => it.name === name)
      invariant(operation !== undefined, `the operation ${name} is in the table`)
      return readQuery(operation, queryOf(request))
    },
    call: (name, input) => app.call(name, input, { signal, caller }),
  }
}

/** Flattens the nested body into the operation's input. */
function startInput(body: unknown) {
  const { type, prompt, configuration } = parseBody(StartBody, body)
  const { env, ...rest } = configuration
  const lines = Object.entries(env ?? {}).map(([name, value]) => `${name}=${value}`)
  return { type, prompt, ...rest, ...(env === undefined ? {} : { env: lines }) }
}

function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  if (issues.some((it) => it.path.join(".") === "type")) {
    throw AgentTypeUnknown({ given: givenType(body), types: AGENT_TYPES })
  }
  const problem = issues.map((it) => describeIssue(it, { input: body }))
  throw BodyInvalid({ problem: problem.join("; ") })
}

function givenType(body: unknown): string {
  const parsed = z.object({ type: z.string().max(100) }).safeParse(body)
  return parsed.success ? parsed.data.type : ""
}
