import type { ContextKind, WireKind } from "#ground/contract"

/** Base64 of about four characters per token, plus encryption. */
const SEALED_UNITS_PER_TOKEN = 5.5

export type RawItem = {
  readonly kind: WireKind
  readonly name: string
  readonly text: string
  readonly context?: ContextKind
  /** When more than the text was sent. */
  readonly bytes?: number
  /** When the text is not what is charged. */
  readonly tokens?: number
  /** When the text does not identify it. */
  readonly identity?: string
  readonly callId?: string
  /** A call by the host itself, for an attachment. */
  readonly isAttached?: boolean
  readonly beside?: readonly string[]
  /** Not part of its identity. */
  readonly why?: string
  readonly path?: string
  readonly isConfirmed?: boolean
  readonly isDeferred?: boolean
  /** Never stored: it identifies a machine and an account. */
  readonly isPrivate?: boolean
  /** A file could have forged it: verified against the disk. */
  readonly claims?: "instructions" | "lazy" | "turn" | "agents-md" | "skill-list" | "developer"
}

/** Encrypted thinking is estimated by its length. */
export function thinkingItem(it: {
  readonly text: string
  readonly seal: string
  readonly identity: string
}): RawItem {
  const sealed = Math.ceil(it.seal.length / SEALED_UNITS_PER_TOKEN)
  return {
    kind: "thinking",
    name: "thinking",
    text: it.text,
    bytes: Buffer.byteLength(it.text) + Buffer.byteLength(it.seal),
    identity: it.identity,
    ...(it.text === "" ? { tokens: sealed } : {}),
  }
}

/**
 * Settings that no model reads: one item, never new, before the turns so that a longer conversation
 * starts like a shorter one.
 */
export function settingsItem(json: string): RawItem {
  return {
    kind: "other",
    name: "settings",
    text: "",
    bytes: Buffer.byteLength(json),
    tokens: 0,
    identity: "settings",
    isPrivate: true,
  }
}

/** Providers take half of it. */
export const LARGEST_BODY_BYTES = 64 * 1024 ** 2

/** A picture of about a megapixel. */
export const IMAGE_TOKENS = 1_600
