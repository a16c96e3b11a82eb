import type { IncomingHttpHeaders } from "node:http"
import type { AppError } from "#ground/base"
import { LIVE_PROTOCOL } from "#ground/contract"
import { kindOf, type PersonKey } from "#ground/people"
import {
  ClientHeaderMissing,
  HostRefused,
  JsonOnly,
  OriginRefused,
  PathRefused,
  TokenLimited,
  TokenMissing,
  TokenWrong,
} from "../errors.ts"

/** One request or socket upgrade, before routing. */
export type Approach = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** All header lines as sent, so that a duplicate header is detected. */
  readonly rawHeaders: readonly string[]
  readonly isUpgrade: boolean
}

export type GuardRules = {
  /** Exactly `127.0.0.1:4242`, `localhost:4242` and `[::1]:4242`; no suffix match. */
  readonly hosts: ReadonlySet<string>
  readonly scheme: "http" | "https"
  /** The principal of a token; undefined if it is invalid. */
  bearerOf(token: string): string | undefined
  isCookie(value: string): boolean
}

export type Verdict =
  | {
      readonly kind: "pass"
      readonly by: "public" | "bearer" | "cookie"
      readonly who: string
      /** Of a person of the store. */
      readonly key?: PersonKey
    }
  | { readonly kind: "refuse"; readonly status: number; readonly error: AppError }

export const SESSION_COOKIE = "qm_session"
const CLIENT_HEADER = "x-qm-client"

/** The user of this machine, by token or session cookie. */
export const OWNER = "owner"
const NOBODY = "nobody"

export const TOOLS_PATH = "/mcp"

/**
 * One decision for HTTP, sockets and MCP; denied by default. The Host check stops DNS rebinding (a
 * rebound page's GET has no Origin), the Origin check stops CSRF and socket hijacking, the token
 * stops other users of this machine. Public routes need no token, but pass the other checks.
 */
export function judge(approach: Approach, rules: GuardRules, key?: PersonKey): Verdict {
  return refuseEarly(approach, rules) ?? admit(approach, rules, key)
}

/** Checks that do not depend on the credentials. */
function refuseEarly(approach: Approach, rules: GuardRules): Verdict | undefined {
  return (
    refuseHost(approach, rules) ??
    refusePath(approach) ??
    refuseOrigin(approach, rules) ??
    refuseBody(approach)
  )
}

/** Another local server can plant cookies of our name; a browser of ours has one. */
const MOST_COOKIES_TRIED = 4

/**
 * Secrets that the store must verify before `judge` decides; empty for a request that is refused
 * anyway, is public, or has another credential.
 */
export function personSecrets(approach: Approach, rules: GuardRules): readonly string[] {
  const { headers } = approach
  const bearer = bearerOf(headers)
  const cookies = sessionCookies(headers)
  const secrets =
    bearer === undefined
      ? cookies.filter((it) => kindOf(it) === "session").slice(0, MOST_COOKIES_TRIED)
      : [bearer].filter((it) => kindOf(it) === "token")
  if (secrets.length === 0 || isPublic(approach)) return []
  if (refuseEarly(approach, rules) !== undefined) return []
  const isOwner = bearer === undefined && cookies.some((it) => rules.isCookie(it))
  return isOwner ? [] : secrets
}

function refuseHost({ headers, rawHeaders }: Approach, rules: GuardRules): Verdict | undefined {
  const hosts = valuesOf(rawHeaders, "host")
  const [host] = hosts
  const isExact = hosts.length === 1 && host === headers.host && rules.hosts.has(host ?? "")
  return isExact ? undefined : refuse(421, HostRefused({}))
}

/**
 * The router decodes a path, cuts it at `#` and strips scheme and host (`/%61pi`, `http://x/api`),
 * so a path with two readings is refused.
 */
const PLAIN_PATH = /^\/(?:[\w~-][\w.~-]*(?:\/[\w~-][\w.~-]*)*\/?)?$/

function refusePath({ url }: Approach): Verdict | undefined {
  if (PLAIN_PATH.test(url.split("?")[0] ?? "")) return undefined
  return refuse(400, PathRefused({}))
}

function refuseOrigin(approach: Approach, rules: GuardRules): Verdict | undefined {
  const origins = valuesOf(approach.rawHeaders, "origin")
  const isOwn = origins.every((origin) =>
    [...rules.hosts].some((host) => origin === `${rules.scheme}://${host}`),
  )
  if (isOwn && origins.length <= 1 && !isForeign(approach)) return undefined
  return refuse(403, OriginRefused({}))
}

/**
 * For browsers, a page on another port of this machine is "same-site"; for us it is foreign. A
 * top-level navigation by a link from elsewhere is allowed.
 */
function isForeign(approach: Approach): boolean {
  const isPage = approach.headers["sec-fetch-mode"] === "navigate" && isPublic(approach)
  return isFromElsewhere(approach.headers) && !(isPage && isSafe(approach.method))
}

export function isFromElsewhere({ "sec-fetch-site": site }: IncomingHttpHeaders): boolean {
  return site !== undefined && site !== "same-origin" && site !== "none"
}

/** A foreign page can send forms and plain text without a preflight, but not JSON. */
function refuseBody(approach: Approach): Verdict | undefined {
  const { method, headers, isUpgrade } = approach
  if (isUpgrade || isSafe(method) || isPolling(approach)) return undefined
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase()
  const isEmpty = headers["content-length"] === "0" || headers["content-length"] === undefined
  const hasBody = !isEmpty || headers["transfer-encoding"] !== undefined
  if (type === "application/json" || (!hasBody && type === undefined)) return undefined
  return refuse(415, JsonOnly({}))
}

/** A socket.io client polls with plain text; a foreign page cannot add a bearer token to it. */
function isPolling({ url, headers }: Approach): boolean {
  return isUnder([LIVE_PROTOCOL.defaultPath], url) && bearerOf(headers) !== undefined
}

function admit(approach: Approach, rules: GuardRules, key: PersonKey | undefined): Verdict {
  if (isPublic(approach)) return { kind: "pass", by: "public", who: NOBODY }
  const bearer = bearerOf(approach.headers)
  if (bearer !== undefined) {
    return key === undefined
      ? admitBearer(approach, rules.bearerOf(bearer))
      : admitToken(approach, key)
  }
  // Another local server can plant a cookie of this name, so one valid cookie is enough.
  const cookie = sessionCookies(approach.headers).find((it) => rules.isCookie(it))
  if (cookie === undefined && key === undefined) return refuse(401, TokenMissing({}))
  const needsHeader = !approach.isUpgrade && !isSafe(approach.method)
  if (needsHeader && approach.headers[CLIENT_HEADER] === undefined) {
    return refuse(403, ClientHeaderMissing({}))
  }
  return key === undefined
    ? { kind: "pass", by: "cookie", who: OWNER }
    : { kind: "pass", by: "cookie", who: principalOf(key), key }
}

function admitToken(approach: Approach, key: PersonKey): Verdict {
  if (key.scope === "tools" && !isToolsCall(approach)) return refuse(403, TokenLimited({}))
  return { kind: "pass", by: "bearer", who: principalOf(key), key }
}

function principalOf({ person }: PersonKey): string {
  return `person:${person.id}`
}

/** A client's token opens only the tools, so that an agent cannot approve its own requests. */
function admitBearer(approach: Approach, who: string | undefined): Verdict {
  if (who === undefined) return refuse(401, TokenWrong({}))
  if (who !== OWNER && !isToolsCall(approach)) return refuse(403, TokenLimited({}))
  return { kind: "pass", by: "bearer", who }
}

function isToolsCall({ url, isUpgrade }: Approach): boolean {
  return !isUpgrade && url.split("?")[0] === TOOLS_PATH
}

/** The page, its assets, the health check, and the exchange of a one-time token. */
function isPublic({ method, url, isUpgrade }: Approach): boolean {
  if (isUpgrade) return false
  if (method === "POST") return url.split("?")[0] === "/api/session"
  if (method !== "GET" && method !== "HEAD") return false
  return !isGuardedPath(url)
}

export function isGuardedPath(url: string): boolean {
  return isUnder(GUARDED_PREFIXES, url)
}

const GUARDED_PREFIXES = [
  "/api",
  LIVE_PROTOCOL.webSocketPath,
  LIVE_PROTOCOL.defaultPath,
  TOOLS_PATH,
  "/docs",
  "/metrics",
]

function isUnder(prefixes: readonly string[], url: string): boolean {
  const path = url.split("?")[0] ?? ""
  return prefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))
}

function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD"
}

export function refuse(status: number, error: AppError): Extract<Verdict, { kind: "refuse" }> {
  return { kind: "refuse", status, error }
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === name)
}

function bearerOf(headers: IncomingHttpHeaders): string | undefined {
  return /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1]
}

export function sessionCookies(headers: IncomingHttpHeaders): readonly string[] {
  return (headers.cookie ?? "").split(";").flatMap((part) => {
    const split = part.indexOf("=")
    return part.slice(0, split).trim() === SESSION_COOKIE ? [part.slice(split + 1).trim()] : []
  })
}
