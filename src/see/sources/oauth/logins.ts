import path from "node:path"
import {
  type AuthProvider,
  exchangeAuthorization,
  OAuthError,
  refreshAuthorization,
  registerClient,
  startAuthorization,
  validateAuthorizationResponseIssuer,
} from "@modelcontextprotocol/client"
import {
  type Clock,
  ensureDirectory,
  isAppError,
  type Log,
  type Random,
  visibleLine,
  whileLocked,
} from "#ground/base"
import { startDeadline, TimeIsOver } from "../connections.ts"
import {
  LoginCodeRefused,
  LoginDenied,
  LoginExpired,
  LoginFailed,
  LoginNeeded,
  LoginTimedOut,
} from "../errors.ts"
import { type CallbackListener, listenForCallback } from "./callback.ts"
import { type Discovered, discover, type OAuthSource } from "./discovery.ts"
import { oauthFetch, problemOf } from "./oauth-fetch.ts"
import { loginName, readLogin, readMetadata, type StoredLogin } from "./stored-login.ts"

/** A person signs in, with a second factor, in a few minutes. */
const LOGIN_MS = 5 * 60_000

/** Of one request to the authorization server. */
const REQUEST_MS = 30_000

/** A token that expires while a request is on its way would be refused. */
const EARLY_MS = 30_000

const LONGEST_REASON_CHARACTERS = 300

export type LoginDeps = {
  readonly stateDirectory: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  credential(name: string): Promise<string | undefined>
  /** Undefined removes it. */
  storeCredential(name: string, value: string | undefined): Promise<void>
  redact(text: string): Promise<string>
}

type StartedLogin = { readonly done: Promise<void>; isOver: boolean; cancel(): void }

export type Logins = ReturnType<typeof createLogins>

export function createLogins(deps: LoginDeps) {
  /** With its outcome, until another one starts. */
  const started = new Map<string, StartedLogin>()
  const read = async ({ slug, url }: OAuthSource): Promise<StoredLogin | undefined> =>
    readLogin(await deps.credential(loginName(slug, url)), url)
  const write = ({ slug, url }: OAuthSource, login: StoredLogin | undefined): Promise<void> =>
    deps.storeCredential(loginName(slug, url), login && JSON.stringify(login))
  const room: Room = { ...deps, read, write }
  return {
    /** Returns the page to open; the sign-in goes on in this process until `finished`. */
    async start(source: OAuthSource): Promise<string> {
      const { slug } = source
      started.get(slug)?.cancel()
      const { url, done, cancel } = await startLogin(source, room)
      const entry: StartedLogin = {
        done: done.finally(() => (entry.isOver = true)),
        isOver: false,
        cancel,
      }
      entry.done.catch((error: unknown) => {
        if (isAppError(error)) deps.log.info("sign-in ended", { slug, code: error.code })
      })
      started.set(slug, entry)
      return url
    },
    isPending: (slug: string): boolean => started.get(slug)?.isOver === false,
    finished: async (slug: string): Promise<void> => started.get(slug)?.done,
    isSignedIn: async (source: OAuthSource): Promise<boolean> => (await read(source)) !== undefined,
    accessToken: (source: OAuthSource): Promise<string> => currentToken(source, undefined, room),
    logOut: (source: OAuthSource): Promise<boolean> => logOut(source, room),
    /** Sends the current token; after a refusal a new one, once. */
    authFor(source: OAuthSource): AuthProvider {
      let sent: string | undefined
      return {
        token: async () => (sent = await currentToken(source, undefined, room)),
        onUnauthorized: async () => {
          sent = await currentToken(source, sent, room)
        },
      }
    },
    async close(): Promise<void> {
      const logins = [...started.values()]
      for (const it of logins) it.cancel()
      await Promise.allSettled(logins.map((it) => it.done))
    },
  }
}

type Room = LoginDeps & {
  read(source: OAuthSource): Promise<StoredLogin | undefined>
  write(source: OAuthSource, login: StoredLogin | undefined): Promise<void>
}

async function startLogin(source: OAuthSource, room: Room) {
  const cancelling = new AbortController()
  const deadline = startDeadline(room.clock, LOGIN_MS, cancelling.signal)
  const state = Buffer.from(room.random.bytes(32)).toString("base64url")
  const host = source.oauth.redirectHost
  const listener = await listenForCallback({ state, host, signal: deadline.signal })
  const end = async (): Promise<void> => {
    await listener[Symbol.asyncDispose]()
    deadline[Symbol.dispose]()
  }
  try {
    const attempt = await prepare(source, { state, listener }, room)
    const done = endAfter(finishLogin(source, { ...attempt, listener }, room), end)
    const cancel = (): void => cancelling.abort(new TimeIsOver("the sign-in was replaced"))
    return { url: attempt.authorizationUrl.href, done, cancel }
  } catch (error) {
    await end()
    throw await failure(source, error, room)
  }
}

async function endAfter(work: Promise<void>, end: () => Promise<void>): Promise<void> {
  try {
    await work
  } finally {
    await end()
  }
}

type Attempt = {
  readonly discovered: Discovered
  readonly client: StoredLogin["client"]
  readonly authorizationUrl: URL
  readonly codeVerifier: string
}

async function prepare(
  source: OAuthSource,
  { state, listener }: { readonly state: string; readonly listener: CallbackListener },
  room: Room,
): Promise<Attempt> {
  using deadline = startDeadline(room.clock, REQUEST_MS, new AbortController().signal)
  const { signal } = deadline
  const fetchFn = oauthFetch(source.url, signal)
  const discovered = await discover(source, { fetchFn, signal })
  const { redirectUri } = listener
  const client = await clientFor(source, { discovered, redirectUri, fetchFn }, room)
  const { authorizationUrl, codeVerifier } = await startAuthorization(discovered.issuer, {
    metadata: discovered.metadata,
    clientInformation: client,
    redirectUrl: redirectUri,
    state,
    ...(discovered.scope !== undefined && { scope: discovered.scope }),
    ...(discovered.resource !== null && { resource: discovered.resource }),
  })
  const isLocal = new URL(source.url).hostname === authorizationUrl.hostname
  const problem = problemOf(authorizationUrl, isLocal)
  if (problem !== undefined) throw new Error(`its sign-in page ${problem}`)
  return { discovered, client, authorizationUrl, codeVerifier }
}

/** A client that the user registered, or a new one for this sign-in. */
async function clientFor(
  { slug, oauth }: OAuthSource,
  to: {
    readonly discovered: Discovered
    readonly redirectUri: string
    readonly fetchFn: ReturnType<typeof oauthFetch>
  },
  room: Room,
): Promise<StoredLogin["client"]> {
  if (oauth.clientId !== undefined) {
    const secret =
      oauth.clientSecret === undefined ? undefined : await room.credential(oauth.clientSecret)
    return { client_id: oauth.clientId, ...(secret !== undefined && { client_secret: secret }) }
  }
  const { issuer, metadata, scope } = to.discovered
  if (metadata.registration_endpoint === undefined) {
    const reason =
      "its authorization server registers no clients; set oauth.clientId in its config.json"
    throw LoginFailed({ slug, reason })
  }
  const { client_id, client_secret, token_endpoint_auth_method } = await registerClient(issuer, {
    metadata,
    clientMetadata: {
      client_name: "Quartermaster",
      redirect_uris: [to.redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    ...(scope !== undefined && { scope }),
    fetchFn: to.fetchFn,
  })
  return {
    client_id,
    ...(client_secret !== undefined && { client_secret }),
    ...(token_endpoint_auth_method !== undefined && { token_endpoint_auth_method }),
  }
}

async function finishLogin(
  source: OAuthSource,
  attempt: Attempt & { readonly listener: CallbackListener },
  room: Room,
): Promise<void> {
  const { slug, url } = source
  try {
    const params = await attempt.listener.arrived
    const { issuer, metadata, resource } = attempt.discovered
    const iss = params.get("iss") ?? undefined
    // Before any other parameter is read: they may come from another server (RFC 9207).
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata.issuer,
      issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
    })
    const error = params.get("error")
    if (error === "access_denied") throw LoginDenied({ slug })
    const code = params.get("code")
    if (error !== null || code === null) {
      throw new Error(`the authorization server answered ${error ?? "without a code"}`)
    }
    using deadline = startDeadline(room.clock, REQUEST_MS, new AbortController().signal)
    const tokens = await exchangeAuthorization(issuer, {
      metadata,
      clientInformation: attempt.client,
      authorizationCode: code,
      ...(iss !== undefined && { iss }),
      codeVerifier: attempt.codeVerifier,
      redirectUri: attempt.listener.redirectUri,
      ...(resource !== null && { resource }),
      fetchFn: oauthFetch(url, deadline.signal),
    })
    await room.write(source, {
      version: 1,
      url,
      metadata: readMetadata(metadata),
      resource,
      client: attempt.client,
      ...tokenFields(tokens, null, room.clock),
    })
  } catch (error) {
    throw await failure(source, error, room)
  }
}

type Tokens = Awaited<ReturnType<typeof refreshAuthorization>>

function tokenFields(tokens: Tokens, earlierRefresh: string | null, clock: Pick<Clock, "now">) {
  const { access_token, refresh_token, expires_in } = tokens
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? earlierRefresh,
    expiresAt: expires_in === undefined ? null : clock.now() + Math.floor(expires_in * 1_000),
  }
}

/** `refused` is a token that the server did not accept although its time is not over. */
async function currentToken(
  source: OAuthSource,
  refused: string | undefined,
  room: Room,
): Promise<string> {
  const { slug } = source
  const usable = (login: StoredLogin): boolean =>
    login.accessToken !== refused &&
    (login.expiresAt === null || room.clock.now() < login.expiresAt - EARLY_MS)
  const first = await room.read(source)
  if (first === undefined) throw LoginNeeded({ slug })
  if (usable(first)) return first.accessToken
  await ensureDirectory(room.stateDirectory)
  // One process refreshes: servers revoke all tokens if an old refresh token is used twice.
  return whileLocked(path.join(room.stateDirectory, "source-logins"), async () => {
    const login = await room.read(source)
    if (login === undefined) throw LoginNeeded({ slug })
    if (usable(login)) return login.accessToken
    return refresh(source, login, room)
  })
}

async function refresh(source: OAuthSource, login: StoredLogin, room: Room): Promise<string> {
  const { slug, url } = source
  const { refreshToken, metadata, client, resource } = login
  if (refreshToken === null) throw LoginExpired({ slug })
  using deadline = startDeadline(room.clock, REQUEST_MS, new AbortController().signal)
  try {
    const tokens = await refreshAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      refreshToken,
      ...(resource !== null && { resource }),
      fetchFn: oauthFetch(url, deadline.signal),
    })
    const next = { ...login, ...tokenFields(tokens, refreshToken, room.clock) }
    await room.write(source, next)
    return next.accessToken
  } catch (error) {
    const isRefused =
      error instanceof OAuthError && ["invalid_grant", "invalid_client"].includes(error.code)
    if (!isRefused) throw await failure(source, error, room)
    await room.write(source, undefined)
    throw LoginExpired({ slug })
  }
}

/** True if the server confirmed that the tokens are void (RFC 7009). */
async function logOut(source: OAuthSource, room: Room): Promise<boolean> {
  const login = await room.read(source)
  if (login === undefined) throw LoginNeeded({ slug: source.slug })
  const { accessToken, refreshToken } = login
  const tokens = [
    ...(refreshToken === null ? [] : [{ token: refreshToken, hint: "refresh_token" }]),
    { token: accessToken, hint: "access_token" },
  ]
  const results: boolean[] = []
  for (const it of tokens) results.push(await revoke(source, { ...it, login }, room))
  // Also if the server does not answer: the user wants the tokens gone from here.
  await room.write(source, undefined)
  return results.every(Boolean)
}

async function revoke(
  source: OAuthSource,
  of: { readonly token: string; readonly hint: string; readonly login: StoredLogin },
  room: Room,
): Promise<boolean> {
  const { metadata, client } = of.login
  if (metadata.revocation_endpoint === undefined) return false
  using deadline = startDeadline(room.clock, REQUEST_MS, new AbortController().signal)
  const secret = client.client_secret
  const body = new URLSearchParams({
    token: of.token,
    token_type_hint: of.hint,
    client_id: client.client_id,
    ...(secret !== undefined && { client_secret: secret }),
  })
  try {
    const response = await oauthFetch(source.url, deadline.signal)(metadata.revocation_endpoint, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
    })
    return response.ok
  } catch (error) {
    room.log.warn("tokens could not be revoked", { slug: source.slug, reason: String(error) })
    return false
  }
}

async function failure({ slug }: OAuthSource, error: unknown, room: Room): Promise<Error> {
  if (isAppError(error)) return error
  if (error instanceof TimeIsOver) return LoginTimedOut({ slug, minutes: LOGIN_MS / 60_000 })
  const text = error instanceof Error ? `${error.message}${causeOf(error)}` : String(error)
  if (/\binvalid_grant\b/.test(text)) return LoginCodeRefused({ slug })
  const reason = visibleLine(await room.redact(text)).slice(0, LONGEST_REASON_CHARACTERS)
  // Without the cause: its text is the server's and not redacted.
  return LoginFailed({ slug, reason: reason.toWellFormed().replace(/\.$/, "") })
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? `: ${cause.message}` : ""
}
