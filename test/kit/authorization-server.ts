import { createHash, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

type Client = { readonly id: string; readonly redirectUris: readonly string[] }
type Grant = {
  readonly client: string
  readonly redirectUri: string
  readonly challenge: string
  readonly resource: string | null
  readonly scope: string
  isUsed: boolean
}

export type AuthorizationOptions = {
  readonly expiresInSeconds?: number
  /** The user clicks "refuse". */
  readonly denies?: boolean
  readonly registers?: boolean
  readonly supportsPkce?: boolean
  readonly revokes?: boolean
  /** The code is too old when it is exchanged. */
  readonly expiresCodes?: boolean
  readonly issuer?: (origin: string) => string
  /** Another address of the protected resource. */
  readonly resource?: (origin: string) => string
  readonly scopes?: readonly string[]
  /** A client that the user registered by hand, as a desktop application. */
  readonly client?: string
  /** An API instead of an MCP server: requests name no resource and no metadata is published. */
  readonly api?: (request: { readonly path: string; readonly query: string }) => unknown
}

/**
 * A protected MCP server and its authorization server on this machine. It checks every parameter of
 * OAuth 2.1 with PKCE and refuses what a strict server refuses; `violations` has what it saw wrong.
 */
export async function authorizationServer(options: AuthorizationOptions = {}) {
  const violations: string[] = []
  const requests: string[] = []
  const clients = new Map<string, Client>()
  const isApi = options.api !== undefined
  const codes = new Map<string, Grant>()
  const access = new Map<string, { readonly resource: string | null; isValid: boolean }>()
  const refreshes = new Map<string, { readonly grant: Grant; isUsed: boolean }>()
  const revoked: string[] = []
  let origin = ""
  const issuer = () => options.issuer?.(origin) ?? origin
  const secret = () => randomBytes(24).toString("base64url")
  const resource = () => options.resource?.(origin) ?? `${origin}/mcp`

  const wrong = (problem: string): false => {
    violations.push(problem)
    return false
  }
  const must = (isRight: boolean, problem: string): boolean => isRight || wrong(problem)

  const json = (response: ServerResponse, status: number, value: unknown): void => {
    response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    response.end(JSON.stringify(value))
  }
  const refuse = (response: ServerResponse, error: string): void => json(response, 400, { error })

  function issue(grant: Grant) {
    const [token, refresh] = [secret(), secret()]
    access.set(token, { resource: grant.resource, isValid: true })
    refreshes.set(refresh, { grant, isUsed: false })
    return {
      access_token: token,
      token_type: "Bearer",
      expires_in: options.expiresInSeconds ?? 3_600,
      refresh_token: refresh,
      scope: grant.scope,
    }
  }

  function serverMetadata() {
    return {
      issuer: issuer(),
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      token_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      ...(options.supportsPkce !== false && { code_challenge_methods_supported: ["S256"] }),
      ...(options.registers !== false && { registration_endpoint: `${origin}/register` }),
      ...(options.revokes !== false && { revocation_endpoint: `${origin}/revoke` }),
    }
  }

  function register(body: string, response: ServerResponse): void {
    const metadata = JSON.parse(body)
    const uris: readonly string[] = metadata.redirect_uris ?? []
    const isValid = [
      must(uris.length === 1, "one redirect address is registered"),
      must(
        uris.every((it) => /^http:\/\/127\.0\.0\.1:\d+\/callback$/.test(it)),
        "redirects to loopback",
      ),
      must(metadata.token_endpoint_auth_method === "none", "a native client is public"),
      must(metadata.application_type === "native", "the client is native"),
      must(metadata.response_types?.join() === "code", "only codes are requested"),
      must(metadata.grant_types?.includes("refresh_token") === true, "refreshing is registered"),
    ].every(Boolean)
    if (!isValid) return refuse(response, "invalid_client_metadata")
    const id = secret()
    clients.set(id, { id, redirectUris: uris })
    json(response, 201, { ...metadata, client_id: id, client_id_issued_at: 1 })
  }

  /** Plays the browser: the user signs in, and the server sends the browser back. */
  function authorize(query: URLSearchParams): string {
    const value = (name: string): string => query.get(name) ?? ""
    const client = clients.get(value("client_id"))
    const redirect = value("redirect_uri")
    must(new Set(query.keys()).size === [...query.keys()].length, "no parameter is repeated")
    must(client !== undefined || value("client_id") === options.client, "the client is registered")
    const isRegistered =
      client?.redirectUris.includes(redirect) === true ||
      (value("client_id") === options.client && /^http:\/\/localhost:\d+\/callback$/.test(redirect))
    must(isRegistered, "the redirect address is registered")
    must(value("response_type") === "code", "a code is requested")
    must(value("code_challenge_method") === "S256", "the challenge is S256")
    must(/^[\w-]{43}$/.test(value("code_challenge")), "the challenge has 256 bits")
    must(value("state").length >= 43, "the state has 256 bits")
    const named = isApi ? null : resource()
    must(query.get("resource") === named, isApi ? "no resource is named" : "the resource is named")
    must(value("scope") === (options.scopes ?? ["read"]).join(" "), "the scope is the server's")
    const back = new URL(redirect)
    back.searchParams.set("state", value("state"))
    back.searchParams.set("iss", issuer())
    if (options.denies === true) {
      back.searchParams.set("error", "access_denied")
      return back.href
    }
    const code = secret()
    codes.set(code, {
      client: value("client_id"),
      redirectUri: redirect,
      challenge: value("code_challenge"),
      resource: query.get("resource"),
      scope: value("scope"),
      isUsed: false,
    })
    back.searchParams.set("code", code)
    return back.href
  }

  function exchange(form: URLSearchParams, response: ServerResponse): void {
    const grant = codes.get(form.get("code") ?? "")
    if (grant === undefined || grant.isUsed || options.expiresCodes === true) {
      return refuse(response, "invalid_grant")
    }
    grant.isUsed = true
    const verifier = form.get("code_verifier") ?? ""
    const challenge = createHash("sha256").update(verifier).digest("base64url")
    const isValid = [
      must(/^[\w.~-]{43,128}$/.test(verifier), "the verifier is well-formed"),
      must(challenge === grant.challenge, "the verifier belongs to the challenge"),
      must(form.get("redirect_uri") === grant.redirectUri, "the redirect address is the same"),
      must(form.get("client_id") === grant.client, "the client is the same"),
      must(form.get("resource") === grant.resource, "the token is for the same resource"),
    ].every(Boolean)
    return isValid ? json(response, 200, issue(grant)) : refuse(response, "invalid_grant")
  }

  function refresh(form: URLSearchParams, response: ServerResponse): void {
    const held = refreshes.get(form.get("refresh_token") ?? "")
    if (held === undefined) return refuse(response, "invalid_grant")
    // A refresh token that is used twice was stolen: all tokens end (OAuth 2.1, 4.3.1).
    if (!must(!held.isUsed, "a refresh token is used once")) {
      for (const it of access.values()) it.isValid = false
      refreshes.clear()
      return refuse(response, "invalid_grant")
    }
    held.isUsed = true
    must(form.get("client_id") === held.grant.client, "the refreshing client is the same")
    must(form.get("resource") === held.grant.resource, "the refreshed token has the same resource")
    return json(response, 200, issue(held.grant))
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", origin)
    const body = await text(request)
    requests.push(`${request.method} ${url.pathname}`)
    must(!/token|secret/.test(url.search), "no token is in an address")
    const form = new URLSearchParams(body)
    switch (`${request.method} ${url.pathname}`) {
      case "GET /.well-known/oauth-protected-resource/mcp":
        if (isApi) return json(response, 404, {})
        return json(response, 200, {
          resource: resource(),
          authorization_servers: [issuer()],
          scopes_supported: options.scopes ?? ["read"],
        })
      case "GET /.well-known/oauth-authorization-server":
        return json(response, 200, serverMetadata())
      case "POST /register":
        return register(body, response)
      case "POST /token":
        if (form.get("grant_type") === "refresh_token") return refresh(form, response)
        return exchange(form, response)
      case "POST /revoke":
        revoked.push(form.get("token_type_hint") ?? "")
        must(
          access.has(form.get("token") ?? "") || refreshes.has(form.get("token") ?? ""),
          "a known token is revoked",
        )
        must(clients.has(form.get("client_id") ?? ""), "its client revokes it")
        for (const it of access.values()) it.isValid = false
        refreshes.clear()
        return void response.writeHead(200).end()
      default:
        if (options.api !== undefined) return serveApi(request, url, response)
        return url.pathname === "/mcp" ? serveMcp(request, body, response) : json(response, 404, {})
    }
  }

  function serveApi(request: IncomingMessage, url: URL, response: ServerResponse): void {
    const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? []
    if (access.get(token)?.isValid !== true) return json(response, 401, { error: "token" })
    const { pathname: path, search } = url
    const value = options.api?.({ path, query: decodeURIComponent(search.replaceAll("+", " ")) })
    json(response, value === undefined ? 404 : 200, value ?? {})
  }

  function serveMcp(request: IncomingMessage, body: string, response: ServerResponse): void {
    const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? []
    const held = access.get(token)
    if (held?.isValid !== true || held.resource !== resource()) {
      const where = `${origin}/.well-known/oauth-protected-resource/mcp`
      const challenge = `Bearer error="invalid_token", resource_metadata="${where}"`
      return void response.writeHead(401, { "www-authenticate": challenge }).end()
    }
    if (request.method !== "POST") return void response.writeHead(405).end()
    const { id, method } = JSON.parse(body)
    if (id === undefined) return void response.writeHead(202).end()
    json(response, 200, { jsonrpc: "2.0", id, result: MCP_RESULTS[method] ?? {} })
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  origin = `http://127.0.0.1:${port}`
  return {
    url: `${origin}/mcp`,
    origin,
    violations,
    requests,
    revoked,
    /** The address that the browser is sent to after the user decided. */
    signIn: (authorizationUrl: string) => authorize(new URL(authorizationUrl).searchParams),
    /** As if the server had forgotten all access tokens, before their time. */
    expireAccess(): void {
      for (const it of access.values()) it.isValid = false
    },
    expireRefresh: () => refreshes.clear(),
    tokens: () => [...access.keys(), ...refreshes.keys()],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const MCP_RESULTS: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "protected", version: "1" },
  },
  "tools/list": { tools: [{ name: "search", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "found" }] },
}
