import { isRecord } from "#ground/base"
import type { WireName } from "#ground/contract"
import { SecretsNotReplaced, SecretsNotScanned } from "../errors.ts"
import type { HostRequest, PreparedRequest } from "../proxy/exchange.ts"
import { headerOf } from "../session-header.ts"
import type { SecretWire } from "./placeholders.ts"
import { createRestorer } from "./restore.ts"

type SecretKinds = readonly { readonly kind: string; readonly count: number }[]

/** A checksum of the body, which we cannot recompute. */
const ATTESTATION = "cch="

/** Where the host writes its attestation. */
const BILLING = "x-anthropic-billing-header"

type GuardDeps = {
  readonly wire: WireName
  readonly secretWire: SecretWire
  /** Why the request may not be changed, e.g. a login; undefined if it may. */
  rewriteDoubt(request: HostRequest): string | undefined
}

/**
 * Replaces the secrets of each request, whatever else was done to it. A request in which they
 * cannot be replaced is refused: nothing of it is sent.
 */
export function createSecretGuard({ wire, secretWire, rewriteDoubt }: GuardDeps) {
  const protect = (request: HostRequest, prepared: PreparedRequest): PreparedRequest => {
    if (request.body.length === 0) return prepared
    const encoding = headerOf(request.headers, "content-encoding") ?? "identity"
    if (encoding !== "identity") {
      return { ...prepared, refusal: SecretsNotScanned({ reason: "its body is compressed" }) }
    }
    if (!isJson(prepared.body)) {
      const reason = "its body is not JSON and contains a secret"
      const isUnsafe = secretWire.contains(prepared.body)
      return isUnsafe ? { ...prepared, refusal: SecretsNotScanned({ reason }) } : prepared
    }
    const own = secretWire.protect(prepared.body)
    if (own === undefined) return prepared
    const kinds = own.kinds.map((it) => it.kind)
    const reason = rewriteDoubt(request) ?? attestationIn(request.body)
    if (reason !== undefined) {
      return { ...prepared, refusal: SecretsNotReplaced({ kinds: kinds.join(", "), reason }) }
    }
    const values = new Map(own.values)
    const protectOriginal = (): Buffer => {
      const original = secretWire.protect(request.body)
      for (const [name, value] of original?.values ?? []) values.set(name, value)
      return original?.body ?? request.body
    }
    return {
      body: own.body,
      isChanged: true,
      note: { ...(isRecord(prepared.note) ? prepared.note : {}), secretKinds: own.kinds },
      fallbackBody: prepared.isChanged ? protectOriginal : null,
      restorer: ({ isStream }) => createRestorer(values, { wire, isStream }),
    }
  }
  return {
    protect,
    unprepared: () => SecretsNotScanned({ reason: "it is too large or could not be read" }),
  }
}

export function secretKindsIn(prepared: PreparedRequest | undefined): SecretKinds {
  const note = prepared?.note
  return isSecretNote(note) ? note.secretKinds : []
}

function isSecretNote(note: unknown): note is { readonly secretKinds: SecretKinds } {
  return isRecord(note) && Array.isArray(note["secretKinds"])
}

const JSON_STARTS: ReadonlySet<string> = new Set(["{", "["])

function isJson(body: Buffer): boolean {
  return JSON_STARTS.has(body.subarray(0, 100).toString("latin1").trimStart().charAt(0))
}

function attestationIn(body: Buffer): string | undefined {
  const at = body.indexOf(BILLING)
  const isAttested = at !== -1 && body.subarray(at, at + 2_000).includes(ATTESTATION)
  return isAttested ? "the host attests its body" : undefined
}
