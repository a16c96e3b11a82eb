import { hash } from "node:crypto"
import { z } from "zod"
import { parseJson } from "#ground/base"

const Endpoint = z.string().max(2_000)

/** The fields of the metadata that a later token request needs. */
const ServerMetadata = z.object({
  issuer: Endpoint,
  authorization_endpoint: Endpoint,
  token_endpoint: Endpoint,
  revocation_endpoint: Endpoint.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string().max(100)).max(20).optional(),
  response_types_supported: z.array(z.string().max(100)).max(20),
})
type ServerMetadata = z.infer<typeof ServerMetadata>

const Token = z.string().min(1).max(8_000)

/** A sign-in to one source at one address, encrypted in the credential store. */
const StoredLogin = z.strictObject({
  version: z.literal(1),
  url: Endpoint,
  metadata: ServerMetadata,
  resource: Endpoint.nullable(),
  client: z.object({
    client_id: z.string().max(2_000),
    client_secret: z.string().max(2_000).optional(),
    token_endpoint_auth_method: z.string().max(100).optional(),
  }),
  accessToken: Token,
  refreshToken: Token.nullable(),
  expiresAt: z.int().nullable(),
})
export type StoredLogin = z.infer<typeof StoredLogin>

/** Bound to the address: another source with the same name does not get these tokens. */
export function loginName(slug: string, url: string): string {
  return `oauth.${slug.slice(0, 40)}.${hash("sha256", `${slug} ${url}`).slice(0, 8)}`
}

export function readLogin(text: string | undefined, url: string): StoredLogin | undefined {
  const parsed = StoredLogin.safeParse(text === undefined ? undefined : parseJson(text))
  return parsed.success && parsed.data.url === url ? parsed.data : undefined
}

export function readMetadata(value: unknown): ServerMetadata {
  return ServerMetadata.parse(value)
}
