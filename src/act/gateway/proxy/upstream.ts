import { Agent, type ClientRequest, request as requestPlain } from "node:http"
import { request as requestTls, Agent as TlsAgent } from "node:https"
import { ProxyRefused, UpstreamRefused } from "../errors.ts"

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>

export type Upstream = {
  readonly host: string
  start(asked: { method: string; path: string; headers: readonly string[] }): ClientRequest
  /** Idle connections may be dead. */
  dropIdle(): void
  close(): void
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
const PROXY_NAMES = ["HTTPS_PROXY", "NO_PROXY"]

export function createUpstream(url: URL, proxyEnvironment: ProxyEnvironment): Upstream {
  const problem = problemWith(url)
  if (problem !== undefined) throw UpstreamRefused({ problem })
  const isTls = url.protocol === "https:"
  const agent = isTls ? tlsAgent(url, proxyEnvironment) : new Agent({ keepAlive: true })
  const ask = isTls ? requestTls : requestPlain
  const target = {
    // Sockets take IPv6 addresses without brackets.
    hostname: url.hostname.replace(/^\[|\]$/g, ""),
    ...(url.port !== "" && { port: url.port }),
    agent,
    maxHeaderSize: LARGEST_HEADERS_BYTES,
  }
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, "")
  return {
    host: url.host,
    start({ method, path, headers }) {
      const started = ask({ ...target, method, path: prefix + path, headers })
      // The size is bounded; a count limit would drop lines silently.
      started.maxHeadersCount = 0
      return started
    },
    dropIdle() {
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy()
      }
    },
    close: () => agent.destroy(),
  }
}

function problemWith(url: URL): string | undefined {
  const isClear = url.protocol === "http:"
  if (!isClear && url.protocol !== "https:") return `${url.protocol} is neither https nor http`
  if (isClear && !LOOPBACK.test(url.hostname)) return "http is allowed only for this machine"
  if (url.username !== "" || url.password !== "")
    return "the address contains a user name or password"
  return url.search !== "" || url.hash !== "" ? "the address contains a query" : undefined
}

/** Local addresses never use a proxy, whatever NO_PROXY says. */
function tlsAgent(url: URL, environment: ProxyEnvironment): TlsAgent {
  if (LOOPBACK.test(url.hostname)) return new TlsAgent({ keepAlive: true })
  // Node ignores a proxy it does not understand; refuse instead, because the user wanted one.
  const proxies = [environment["https_proxy"], environment["HTTPS_PROXY"]]
  if (!proxies.every(isUsableProxy)) throw ProxyRefused({})
  const names = PROXY_NAMES.flatMap((name) => [name, name.toLowerCase()])
  const proxyEnv = Object.fromEntries(names.map((name) => [name, environment[name]]))
  return new TlsAgent({ keepAlive: true, proxyEnv })
}

function isUsableProxy(address: string | undefined): boolean {
  if (address === undefined || address === "") return true
  return /^https?:\/\//i.test(address) && URL.canParse(address)
}

/** Not the error's own message, which may contain a proxy address. */
export function problemOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "no code"
  const words = PROBLEMS.find(([pattern]) => pattern.test(code))?.[1] ?? "the request failed"
  return `${words} (${code})`
}

const PROBLEMS = [
  [/^ECONNREFUSED$/, "nothing listens there"],
  [/^(?:ENOTFOUND|EAI_)/, "its host name cannot be resolved"],
  [/^(?:ECONNRESET|EPIPE)$/, "it closed the connection"],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, "it cannot be reached"],
  [/^ERR_PROXY/, "the proxy did not connect to it"],
  [/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/, "its certificate or TLS is not accepted"],
  [/^UNWANTED_UPGRADE$/, "it switched the protocol without a request"],
  [/^HPE_/, "its response is not valid HTTP"],
] as const

/** Hosts send 3 kB; Node's default of 16 kB is too close. */
export const LARGEST_HEADERS_BYTES = 64 * 1024
