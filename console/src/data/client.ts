import { answerUnreadable, failure, serverUnreachable, sessionOver } from "../base/errors.ts"
import type {
  CallingPerson,
  OperationInput,
  OperationName,
  OperationOutput,
  WireError,
} from "../contract.ts"
import { BASE_PATH } from "./base-path.ts"

export type AnyOperation = OperationName
export type Input<Name extends AnyOperation> = OperationInput<Name>
export type Output<Name extends AnyOperation> = OperationOutput<Name>

export type Session = {
  readonly repository: {
    readonly root: string
    readonly name: string
    readonly branch: string | null
  }
  readonly node: string
  readonly version: string
  readonly readOnly: boolean
  /** The person of the team who is signed in; null for the user of the server's machine. */
  readonly person: CallingPerson | null
}

export type JsonSchema = Readonly<Record<string, unknown>>

export type OperationEntry = {
  readonly name: string
  readonly summary: string
  readonly effect: "read" | "write"
  readonly method: "GET" | "POST"
  readonly path: string
  readonly input: JsonSchema
}

export type CallOptions = { readonly signal?: AbortSignal }

export function createClient(deps: Deps) {
  const ask = <Answer>(request: HttpRequest): Promise<Answer> => askFor(deps, request)
  return {
    read: <Name extends AnyOperation>(name: Name, input: Input<Name>, options: CallOptions = {}) =>
      ask<Output<Name>>({ method: "GET", path: addressOf(name, input), ...options }),

    write: <Name extends AnyOperation>(name: Name, input: Input<Name>, options: CallOptions = {}) =>
      ask<Output<Name>>({
        method: "POST",
        path: addressOf(name),
        body: JSON.stringify(input),
        ...options,
      }),

    run: ({ method, path }: OperationEntry, input: object) =>
      ask<object>(
        method === "GET"
          ? { method, path: withQuery(path, input) }
          : { method, path, body: JSON.stringify(input) },
      ),

    operations: () =>
      ask<{ operations: readonly OperationEntry[] }>({ method: "GET", path: "/api/operations" }),

    session: () => ask<Session>({ method: "GET", path: "/api/session" }),

    /** Exchanges the one-time token of the link for a cookie that scripts cannot read. */
    async enter(token: string): Promise<void> {
      const body = JSON.stringify({ token })
      const response = await send(deps, { method: "POST", path: "/api/session", body })
      if (!response.ok) throw refusal(response.status, await readJson(response))
    },

    /** "all" also ends other browsers, links, scripts and MCP clients. */
    async signOut(which: "this" | "all"): Promise<void> {
      const path = which === "all" ? "/api/session/all" : "/api/session"
      const response = await send(deps, { method: "DELETE", path })
      if (!response.ok) throw refusal(response.status, await readJson(response))
    },
  }
}

export type Client = ReturnType<typeof createClient>

type Deps = { readonly fetch: typeof fetch }

type HttpRequest = {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly body?: string
  readonly signal?: AbortSignal
}

async function askFor<Answer>(deps: Deps, request: HttpRequest): Promise<Answer> {
  const response = await send(deps, request)
  const answer = await readJson(response)
  if (!response.ok) throw refusal(response.status, answer)
  if (isTrusted<Answer>(answer)) return answer
  throw answerUnreadable(response.status)
}

async function send(deps: Deps, { method, path, body, signal }: HttpRequest): Promise<Response> {
  const headers = { "x-qm-client": "console", ...(body && { "content-type": "application/json" }) }
  try {
    return await deps.fetch(`${BASE_PATH}${path}`, {
      method,
      headers,
      credentials: "same-origin",
      ...(body && { body }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw serverUnreachable()
  }
}

/** `store.status` is served at /api/store/status; a read sends its input in the query. */
function addressOf(name: string, input: object = {}): string {
  return withQuery(`/api/${name.replace(".", "/")}`, input)
}

export function withQuery(path: string, input: object): string {
  const query = new URLSearchParams()
  for (const [field, value] of Object.entries(input)) {
    if (value === undefined) continue
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    for (const one of values) query.append(field, String(one))
  }
  return query.size === 0 ? path : `${path}?${query}`
}

async function readJson(response: Response): Promise<unknown> {
  try {
    const answer: unknown = await response.json()
    return answer
  } catch {
    // Not JSON; the caller reports it with the status.
    return undefined
  }
}

function refusal(status: number, answer: unknown): Error {
  if (isWireError(answer)) return failure(answer)
  return status === 401 ? sessionOver() : answerUnreadable(status)
}

function isWireError(answer: unknown): answer is WireError {
  const isObject = typeof answer === "object" && answer !== null
  return isObject && "code" in answer && "message" in answer && "hint" in answer
}

/**
 * The server validates each response with the contract's schema and serves this build of the
 * console; validating again would add zod to the bundle and find nothing new.
 */
function isTrusted<Answer>(answer: unknown): answer is Answer {
  return typeof answer === "object" && answer !== null
}
