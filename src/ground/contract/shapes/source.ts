import { z } from "zod"

export const SourceSlug = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,59}$/, "lowercase letters, digits and dashes")

const Address = z
  .string()
  .max(2_000)
  .regex(/^https?:\/\//, "an address that starts with http:// or https://")

/** OAuth 2.1 with PKCE; `{}` is enough for a server that describes its authorization server. */
export const SourceOAuth = z.strictObject({
  scopes: z
    .array(
      z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/, "a scope without spaces or quotes"),
    )
    .max(50)
    .default([])
    .describe("Requested scopes; default: those the server names"),
  issuer: Address.optional().describe("Authorization server, for a server that names none"),
  clientId: z.string().min(1).max(500).optional().describe("Default: a client is registered"),
  clientSecret: z.string().max(60).optional().describe("Name in the credential store"),
  redirectHost: z.enum(["127.0.0.1", "localhost"]).default("127.0.0.1"),
  resource: z.boolean().default(true).describe("Whether requests name the resource (RFC 8707)"),
})
export type SourceOAuth = z.infer<typeof SourceOAuth>

/** Streamable HTTP, or the event stream of older servers. */
const Remote = {
  url: Address,
  credential: z.string().optional().describe("Name in the credential store, sent as bearer token"),
  oauth: SourceOAuth.optional().describe("Sign-in with `qm source login`, instead of a credential"),
}

const ApiParameter = z.strictObject({
  type: z.enum(["string", "integer", "number", "boolean", "array"]),
  in: z.enum(["path", "query", "body"]),
  name: z.string().max(60).optional().describe("Name in the request, if it differs"),
  description: z.string().max(300).optional(),
  required: z.boolean().default(false),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  maximum: z.number().optional(),
})

const Texts = z.record(z.string().max(60), z.string().max(500))

/** One request of an API; nothing but its parameters can change. */
const ApiTool = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,59}$/, "lowercase letters, digits and underscores"),
  description: z.string().max(500).default(""),
  method: z.enum(["GET", "POST"]),
  path: z
    .string()
    .max(500)
    .regex(/^\/[^?#]*$/, "a path that starts with a slash"),
  parameters: z.record(z.string().regex(/^\w{1,60}$/), ApiParameter).default({}),
  query: Texts.default({}).describe("Constant parameters, such as api-version"),
  body: z.record(z.string(), z.unknown()).optional().describe("Constant fields of the body"),
  returns: z.array(z.string().max(60)).max(10).default([]).describe("Headers of the response"),
})

/** An MCP server or an API, as `sources/<slug>/config.json` describes it. */
export const SourceConfig = z.strictObject({
  title: z.string().min(1).max(100),
  description: z.string().max(500).default(""),
  provides: z.array(z.enum(["web-search", "other"])).default([]),
  tool: z.string().optional().describe("Tool for searches; default: the first suitable one"),
  transport: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("stdio"),
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      env: z.array(z.string()).default([]).describe("Names of environment variables it gets"),
    }),
    z.strictObject({ type: z.literal("http"), ...Remote }),
    z.strictObject({ type: z.literal("sse"), ...Remote }),
    z.strictObject({
      type: z.literal("api"),
      ...Remote,
      keyHeader: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9-]{0,59}$/, "a header name")
        .optional()
        .describe("Header of the key; default: Authorization with a bearer token"),
      headers: Texts.default({}).describe("Constant headers, such as a version"),
      tools: z.array(ApiTool).min(1).max(50),
    }),
  ]),
  timeoutMs: z.int().min(100).max(600_000).default(20_000),
})
export type SourceConfig = z.infer<typeof SourceConfig>

export const SourceHealth = z.enum(["unknown", "ok", "slow", "dead", "unapproved", "invalid"])
export type SourceHealth = z.infer<typeof SourceHealth>

export const Source = z.object({
  slug: SourceSlug,
  title: z.string(),
  description: z.string(),
  origin: z.enum(["shipped", "user", "project"]),
  provides: z.array(z.string()),
  command: z.string().describe("The complete command or address"),
  digest: z.string().describe("Digest of its description; the user approves this digest"),
  isApproved: z.boolean(),
  isReady: z.boolean().describe("Approved, and its key or sign-in is there"),
  health: SourceHealth,
  checkedAt: z.int().nullable().describe("When a process called it last; null before that"),
  problem: z.string().nullable(),
  tools: z.array(z.string()).nullable().describe("Null before the first test"),
  login: z
    .enum(["needed", "waiting", "signed in"])
    .nullable()
    .describe("Sign-in of a source with OAuth; null for others"),
  isOn: z.boolean().optional().describe("Whether agents of the given session may call it"),
})
export type Source = z.infer<typeof Source>

export const SourceList = z.object({ sources: z.array(Source) })
export type SourceList = z.infer<typeof SourceList>
export const SourceTest = z.object({
  source: Source,
  durationMs: z.int().nonnegative(),
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
})
export type SourceTest = z.infer<typeof SourceTest>

const SourceTool = z.object({
  source: SourceSlug,
  name: z.string(),
  description: z.string(),
  input: z.string().describe("JSON schema of its arguments, truncated if it is long"),
})
export const SourceTools = z.object({
  tools: z.array(SourceTool),
  notes: z.array(z.string()).describe("Sources that could not list their tools, and why"),
})
export type SourceTools = z.infer<typeof SourceTools>

/** The result of one tool; its text comes from outside and is data. */
export const SourceAnswer = z.object({
  source: SourceSlug,
  tool: z.string(),
  isError: z.boolean().describe("Whether the tool reported a failure"),
  text: z.string(),
  isTruncated: z.boolean(),
})
export type SourceAnswer = z.infer<typeof SourceAnswer>

export const SourceLogin = z.object({
  source: Source,
  url: z.string().nullable().describe("Page to open; null when the sign-in has ended"),
})
export type SourceLogin = z.infer<typeof SourceLogin>
export const SourceLogout = z.object({
  source: Source,
  isRevoked: z.boolean().describe("Whether the server confirmed that the tokens are void"),
})
export type SourceLogout = z.infer<typeof SourceLogout>

export const SourceTemplate = z.object({
  slug: SourceSlug,
  title: z.string(),
  description: z.string(),
  kind: z.enum(["source", "connection"]).describe("Result of `qm source add`"),
  values: z
    .array(z.object({ name: z.string(), description: z.string(), example: z.string() }))
    .describe("Values that differ from user to user"),
  needs: z.string().describe("Command that gives it its key or sign-in; empty if it needs none"),
  guide: z.string(),
})
export type SourceTemplate = z.infer<typeof SourceTemplate>
export const SourceTemplates = z.object({ templates: z.array(SourceTemplate) })
export type SourceTemplates = z.infer<typeof SourceTemplates>
export const SourceAdded = z.object({
  kind: SourceTemplate.shape.kind,
  name: z.string(),
  file: z.string(),
  next: z.array(z.string()).describe("Commands that make it usable, in order"),
})
export type SourceAdded = z.infer<typeof SourceAdded>

/** A credential is written and used, never returned. */
export const CredentialName = z
  .string()
  .regex(/^[a-z][a-z0-9._-]{0,59}$/, "lowercase letters, digits, dots and dashes")

/** An agent asks, the user answers; the agent sees the status only. */
export const CredentialRequest = z.object({
  id: z.string(),
  session: z.string(),
  client: z.string().describe("Name that the agent reports"),
  name: z.string(),
  reason: z.string(),
  status: z.enum(["open", "given", "denied", "expired"]),
  requestedAt: z.int(),
  expiresAt: z.int(),
})
export type CredentialRequest = z.infer<typeof CredentialRequest>
export const CredentialRequests = z.object({ requests: z.array(CredentialRequest) })
export type CredentialRequests = z.infer<typeof CredentialRequests>
export const CredentialState = z.object({
  name: z.string(),
  status: z.enum(["set", ...CredentialRequest.shape.status.options]),
  id: z.string().nullable().describe("Of the request; null if the credential was set before"),
})
export type CredentialState = z.infer<typeof CredentialState>

export const Credentials = z.object({
  credentials: z.array(z.object({ name: CredentialName, setAt: z.int() })),
  keptBy: z.enum(["key file", "keychain", "passphrase"]).describe("Origin of the encryption key"),
  warning: z.string().nullable(),
})
export type Credentials = z.infer<typeof Credentials>
