import { createHash, timingSafeEqual } from "node:crypto"
import type { AppError } from "#ground/base"
import { HostRefused, OriginRefused, TokenRefused } from "../errors.ts"
import type { Header } from "./exchange.ts"
import { valuesOf } from "./headers.ts"

type Approach = { readonly url: string; readonly headers: readonly Header[] }

type Verdict<ProxiedSession> =
  | { readonly kind: "pass"; readonly session: ProxiedSession; readonly path: string }
  | { readonly kind: "refuse"; readonly status: 403 | 421; readonly error: AppError }

/**
 * Host stops DNS rebinding, Origin stops web pages, the token stops other users of this machine.
 * There is no public path.
 */
export function judge<ProxiedSession extends { readonly tokenDigest: Buffer }>(
  { url, headers }: Approach,
  rules: { readonly port: number; readonly sessions: Iterable<ProxiedSession> },
): Verdict<ProxiedSession> {
  const hosts = valuesOf(headers, "host")
  const isOwnHost = hosts[0] === `127.0.0.1:${rules.port}` || hosts[0] === `localhost:${rules.port}`
  if (hosts.length !== 1 || !isOwnHost) return refuse(421, HostRefused({}))
  if (valuesOf(headers, "origin").length > 0) return refuse(403, OriginRefused({}))

  const { token, path } = splitToken(url)
  const session = token === undefined ? undefined : find(token, rules.sessions)
  return session === undefined ? refuse(403, TokenRefused({})) : { kind: "pass", session, path }
}

/** Digests have one length, so that the comparison takes constant time. */
export function digestOfToken(token: string): Buffer {
  return createHash("sha256").update(token, "latin1").digest()
}

function splitToken(url: string): { readonly token: string | undefined; readonly path: string } {
  const [, token, rest = ""] = /^\/t\/([^/?]+)(.*)$/s.exec(url) ?? []
  return { token, path: rest.startsWith("/") ? rest : `/${rest}` }
}

/** Compares with every session, for constant time. */
function find<ProxiedSession extends { readonly tokenDigest: Buffer }>(
  token: string,
  sessions: Iterable<ProxiedSession>,
): ProxiedSession | undefined {
  const digest = digestOfToken(token)
  let match: ProxiedSession | undefined
  for (const session of sessions) if (timingSafeEqual(session.tokenDigest, digest)) match = session
  return match
}

function refuse(status: 403 | 421, error: AppError) {
  return { kind: "refuse", status, error } as const
}
