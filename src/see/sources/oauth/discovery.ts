import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthServerInfo,
  resourceUrlFromServerUrl,
} from "@modelcontextprotocol/client"
import type { SourceOAuth } from "#ground/contract"
import { LoginUnsupported } from "../errors.ts"
import { problemOf } from "./oauth-fetch.ts"

export type OAuthSource = {
  readonly slug: string
  readonly url: string
  readonly oauth: SourceOAuth
}

type Metadata = NonNullable<OAuthServerInfo["authorizationServerMetadata"]>

export type Discovered = {
  readonly issuer: string
  readonly metadata: Metadata
  readonly resource: string | null
  readonly scope: string | undefined
}

/** Finds the authorization server: RFC 9728, then RFC 8414 or OpenID Connect Discovery. */
export async function discover(
  source: OAuthSource,
  { fetchFn, signal }: { readonly fetchFn: FetchLike; readonly signal: AbortSignal },
): Promise<Discovered> {
  const { slug, url, oauth } = source
  const resource = oauth.resource ? resourceUrlFromServerUrl(url).href : null
  if (oauth.issuer !== undefined) {
    const metadata = await discoverAuthorizationServerMetadata(oauth.issuer, { fetchFn })
    if (metadata === undefined) throw LoginUnsupported({ slug, reason: NO_METADATA })
    return { issuer: oauth.issuer, metadata, resource, scope: scopeOf(oauth.scopes) }
  }
  const challenge = await probe(url, signal)
  const { resourceMetadataUrl } = challenge
  const named = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }
  const info = await discoverOAuthServerInfo(url, { ...named, fetchFn })
  const { authorizationServerMetadata: metadata, resourceMetadata } = info
  if (metadata === undefined) throw LoginUnsupported({ slug, reason: NO_METADATA })
  requirePkce(slug, metadata)
  const configured = resourceMetadata?.resource
  const isOwn =
    configured === undefined ||
    checkResourceAllowed({ requestedResource: url, configuredResource: configured })
  if (!isOwn) throw LoginUnsupported({ slug, reason: `it protects another address, ${configured}` })
  const scopes = [oauth.scopes, challenge.scopes, resourceMetadata?.scopes_supported ?? []]
  return {
    issuer: info.authorizationServerUrl,
    metadata,
    // As the server writes it: an added slash would be another resource.
    resource: oauth.resource ? (configured ?? resource) : null,
    scope: scopeOf(scopes.find((it) => it.length > 0) ?? []),
  }
}

const NO_METADATA = "no authorization server describes itself"

/** Without it a code could be used by another program of this machine. */
function requirePkce(slug: string, metadata: Metadata): void {
  const methods = metadata.code_challenge_methods_supported ?? []
  if (methods.includes("S256")) return
  throw LoginUnsupported({ slug, reason: "its authorization server does not support PKCE (S256)" })
}

function scopeOf(scopes: readonly string[]): string | undefined {
  return scopes.length === 0 ? undefined : scopes.join(" ")
}

type Challenge = {
  readonly resourceMetadataUrl: URL | undefined
  readonly scopes: readonly string[]
}

/** A request without a token: the refusal names the metadata of the server. */
async function probe(url: string, signal: AbortSignal): Promise<Challenge> {
  const headers = { accept: "application/json, text/event-stream" }
  const response = await fetch(url, { headers, redirect: "error", signal })
  await response.body?.cancel()
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
  const isSafe =
    resourceMetadataUrl !== undefined &&
    problemOf(resourceMetadataUrl, resourceMetadataUrl.hostname === new URL(url).hostname) ===
      undefined
  return {
    resourceMetadataUrl: isSafe ? resourceMetadataUrl : undefined,
    scopes: scope?.split(" ").filter((it) => it !== "") ?? [],
  }
}
