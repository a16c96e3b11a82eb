import path from "node:path"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import { z } from "zod"
import { type AppError, type ErrorFamily, isAppError, systemRandom } from "#ground/base"
import { type Operation, roleFor, type WireError } from "#ground/contract"
import { kindOf, PERSON_SESSION_DAYS } from "#ground/people"
import { createSecrets } from "#ground/secrets"
import type { Store } from "#ground/store"
import { currentBranch } from "#see/repo"
import type { App } from "#show/app"
import { addAgentsDoor, DOOR_ROUTES } from "./agents-door.ts"
import { BodyInvalid, LinkSpent, MachineOwnerOnly, RouteMissing, TlsRequired } from "./errors.ts"
import { callerOf, type Gate } from "./guard/gate.ts"
import { SESSION_COOKIE, sessionCookies } from "./guard/guard.ts"
import { type Keys, SESSION_DAYS } from "./guard/keys.ts"
import { replaceToken } from "./guard/token-file.ts"
import { LARGEST_BODY_BYTES } from "./limits.ts"
import { describeApi } from "./openapi.ts"
import { addOriginalFile } from "./original-file.ts"
import { bodyOf, queryOf, signalOf } from "./request.ts"
import { formerRoutes, type OperationRoute, operationRoutes, readQuery } from "./routes.ts"

type ApiDeps = {
  readonly app: App
  readonly operations: readonly Operation[]
  readonly keys: Keys
  readonly gate: Gate
  readonly store: Store
  readonly version: string
}

export function addApi(fastify: FastifyInstance, deps: ApiDeps): void {
  const routes = operationRoutes(deps.operations)
  for (const route of [...routes, ...formerRoutes(deps.operations)])
    addOperation(fastify, route, deps)
  addAgentsDoor(fastify, deps)
  addOriginalFile(fastify, deps)
  addSession(fastify, deps)

  fastify.get("/api/operations", async () => ({ operations: routes.map(describeRoute) }))
  fastify.get("/api/openapi.json", async () =>
    describeApi([...routes, ...DOOR_ROUTES], deps.version),
  )
  fastify.all("/api/*", answerMissing)
}

/** Also used when the framework finds no route, so that its own texts are never sent. */
export function answerMissing(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { method, url } = request
  const { status, body } = answerError(RouteMissing({ method, path: url.split("?")[0] ?? "" }))
  return reply.code(status).send(body)
}

function addOperation(
  fastify: FastifyInstance,
  route: OperationRoute,
  { app, gate }: Pick<ApiDeps, "app" | "gate">,
): void {
  const { operation, method, path } = route
  fastify.route({
    method,
    url: path,
    handler: async (request, reply) => {
      const input = method === "GET" ? readQuery(operation, queryOf(request)) : bodyOf(request)
      const caller = callerOf(gate.senderOf(request.raw))
      return app.call(operation.name, input, { signal: signalOf(reply), caller })
    },
  })
}

const Exchange = z.strictObject({ token: z.string().min(1).max(200) })

function addSession(fastify: FastifyInstance, deps: ApiDeps): void {
  const { keys, gate } = deps
  fastify.post("/api/session", async (request, reply) => {
    const parsed = Exchange.safeParse(bodyOf(request))
    if (!parsed.success) throw BodyInvalid({ problem: "expected { token }" })
    const { token } = parsed.data
    const isOfPerson = kindOf(token) === "link"
    if (isOfPerson && !gate.isPrivate(request.raw)) throw TlsRequired({})
    const value = isOfPerson ? await signIn(token, deps) : spendOwnLink(token, keys)
    const days = isOfPerson ? PERSON_SESSION_DAYS : SESSION_DAYS
    return reply.code(204).header("set-cookie", cookie(value, days, request)).send()
  })
  fastify.get("/api/session", async (request) => ({
    ...(await describeSession(deps)),
    person: gate.senderOf(request.raw).key?.person ?? null,
  }))
  fastify.delete("/api/session", async (request, reply) => {
    const { key } = gate.senderOf(request.raw)
    if (key !== undefined) {
      if (key.kind === "session") await (await deps.app.people()).signOut(key, ONE_SESSION)
      return endSession(request, reply, gate)
    }
    const cookies = sessionCookies(request.headers).filter((it) => keys.isCookie(it))
    for (const it of cookies) await keys.signOut(it)
    return endSession(request, reply, gate)
  })
  fastify.delete("/api/session/all", async (request, reply) => {
    const { key } = gate.senderOf(request.raw)
    if (key !== undefined) await (await deps.app.people()).signOut(key, EVERYWHERE)
    else await replaceToken(deps.app.places.home, systemRandom)
    return endSession(request, reply, gate)
  })
  /** A one-time token for a link; `qm open` requests it. */
  fastify.post("/api/session/link", async (request) => {
    if (gate.senderOf(request.raw).key !== undefined) throw MachineOwnerOnly({})
    return { token: keys.issueLink() }
  })
}

const ONE_SESSION = { everywhere: false } as const
const EVERYWHERE = { everywhere: true } as const

async function signIn(link: string, { app }: Pick<ApiDeps, "app">): Promise<string> {
  const session = await (await app.people()).spendLink(link)
  if (session === undefined) throw LinkSpent({})
  return session.secret
}

function spendOwnLink(link: string, keys: Keys): string {
  if (!keys.spendLink(link)) throw LinkSpent({})
  return keys.issueCookie()
}

/** The connection is closed too, because its cookie or token has ended. */
function endSession(request: FastifyRequest, reply: FastifyReply, gate: Gate): FastifyReply {
  gate.endInvalid(request.raw)
  return reply
    .code(204)
    .header("set-cookie", cookie("", 0, request))
    .header("connection", "close")
    .send()
}

async function describeSession({ app, store, version }: ApiDeps) {
  const { repository } = app.places
  return {
    repository: {
      root: repository.root,
      name: path.basename(repository.root),
      branch: (await currentBranch(repository)) ?? null,
    },
    node: process.versions.node,
    version,
    readOnly: store.stopped() !== undefined,
  }
}

function cookie(value: string, days: number, { raw }: FastifyRequest): string {
  const secure = "encrypted" in raw.socket ? "; Secure" : ""
  return `${SESSION_COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${days * 86_400}${secure}`
}

function describeRoute({ operation, method, path }: OperationRoute) {
  const { name, summary, effect } = operation
  return {
    name,
    summary,
    effect,
    role: roleFor(operation),
    method,
    path,
    input: z.toJSONSchema(operation.input, { io: "input" }),
  }
}

export function addErrors(fastify: FastifyInstance, report: (error: unknown) => void): void {
  fastify.setNotFoundHandler(answerMissing)
  fastify.setErrorHandler((error, _, reply) => {
    const { status, body } = answerError(error)
    if (status === 500) report(error)
    return reply.code(status).send(body)
  })
}

/** The status follows from the error's family, never from its code. */
const STATUS: Readonly<Record<ErrorFamily, number>> = {
  invalid: 400,
  "not-found": 404,
  conflict: 409,
  denied: 403,
  "too-many": 429,
  unavailable: 503,
  full: 507,
}

export function answerError(error: unknown): { status: number; body: WireError } {
  if (isAppError(error)) return { status: STATUS[error.family], body: wire(error) }
  const refused = refusedBody(error)
  if (refused !== undefined) return refused
  // A bug: its message may contain anything, so it goes to the log and not to the client.
  const message = "Internal error in Quartermaster."
  const hint = "Report it with the code and the line of the server's log."
  return { status: 500, body: { code: "BUG", message, hint, data: null } }
}

const { redact, redactJson } = createSecrets({ random: systemRandom })

/** Errors quote their input, which may be a key pasted in the wrong place. */
function wire({ code, formerCode, message, hint, data }: AppError): WireError {
  const safe = redactJson(data ?? null).value
  const texts = { message: redact(message).text, hint: redact(hint).text }
  return { code, ...texts, data: safe, ...(formerCode === undefined ? {} : { formerCode }) }
}

/** A body that the framework refused, with our error body and status. */
function refusedBody(error: unknown): { status: number; body: WireError } | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined
  const refusal = REFUSED_BODIES[String(error.code)]
  if (refusal === undefined) return undefined
  return { status: refusal.status, body: wire(BodyInvalid({ problem: refusal.problem })) }
}

const REFUSED_BODIES: Readonly<Record<string, { status: number; problem: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: {
    status: 413,
    problem: `it exceeds ${LARGEST_BODY_BYTES} bytes`,
  },
  FST_ERR_CTP_EMPTY_JSON_BODY: { status: 400, problem: "it is empty" },
  FST_ERR_CTP_INVALID_JSON_BODY: { status: 400, problem: "it is not JSON" },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    status: 400,
    problem: "its length differs from content-length",
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, problem: "it is not application/json" },
}
