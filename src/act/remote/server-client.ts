import { isRecord, parseJson } from "#ground/base"
import {
  type ParsedInput,
  RemoteReported,
  RemoteRunner,
  RemoteRuns,
  WireError,
} from "#ground/contract"
import { ServerNotSecure, ServerRefusedRunner, ServerUnreachable } from "./errors.ts"

const LONGEST_REQUEST_MS = 30_000

/** Of a response; open runs of one machine need far less. */
const LARGEST_ANSWER_BYTES = 8 * 1024 * 1024

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"])

/** The address without a path's trailing slash; throws unless it is https, or http on loopback. */
export function checkServerUrl(text: string): string {
  const url = URL.parse(text)
  const isSafe =
    url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.has(url.hostname))
  const isPlain = url?.username === "" && url.password === "" && url.search === ""
  if (url === null || !isSafe || !isPlain) throw ServerNotSecure({ url: text.slice(0, 200) })
  const { pathname } = url
  return `${url.origin}${pathname.endsWith("/") ? pathname.slice(0, -1) : pathname}`
}

export type ServerClient = ReturnType<typeof createServerClient>

/** Calls the three operations of a runner. A redirect is not followed: it would get the token. */
export function createServerClient(options: {
  readonly url: string
  readonly token: string
  readonly signal: AbortSignal
}) {
  const url = checkServerUrl(options.url)

  async function call(method: "GET" | "POST", path: string, body?: object): Promise<unknown> {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(LONGEST_REQUEST_MS)])
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: "manual",
      signal,
      headers: {
        authorization: `Bearer ${options.token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw ServerUnreachable({ reason: error instanceof Error ? error.message : String(error) })
    })
    const answer = parseJson(await boundedText(response))
    if (response.status === 200 || response.status === 201) return answer
    const wire = WireError.safeParse(answer)
    const { code, message } = wire.success ? wire.data : { code: "", message: "no JSON answer" }
    // 401 and 403 do not pass by waiting; everything else may.
    if (response.status === 401 || response.status === 403)
      throw ServerRefusedRunner({ status: response.status, code, message })
    throw ServerUnreachable({ reason: `status ${response.status} ${code}`.trim() })
  }

  return {
    attach: async (input: ParsedInput<"remote.attach">) =>
      RemoteRunner.parse(await call("POST", "/api/remote/attach", input)),
    poll: async (id: string) =>
      RemoteRuns.parse(await call("GET", `/api/remote/poll?id=${encodeURIComponent(id)}`)),
    report: async (input: ParsedInput<"remote.report">) =>
      RemoteReported.parse(await call("POST", "/api/remote/report", input)),
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const part: unknown = await reader.read()
    if (!isRecord(part) || part["done"] === true || !(part["value"] instanceof Uint8Array)) break
    sizeBytes += part["value"].length
    if (sizeBytes > LARGEST_ANSWER_BYTES) {
      await reader.cancel()
      throw ServerUnreachable({ reason: `its answer exceeds ${LARGEST_ANSWER_BYTES} bytes` })
    }
    chunks.push(part["value"])
  }
  return Buffer.concat(chunks).toString("utf8")
}
