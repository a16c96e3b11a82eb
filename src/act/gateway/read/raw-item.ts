import type { ContextKind, WireKind } from "#ground/contract"

/** Letters of sealed thinking a token: base64 of some four letters each, and what seals them. */
const SEALED_UNITS_PER_TOKEN = 5.5

/** A piece of a request before it is weighed. */
export type RawItem = {
  readonly kind: WireKind
  readonly name: string
  /** What the model reads of it. */
  readonly text: string
  /** When it is not what its kind says. */
  readonly context?: ContextKind
  /** When more went over the wire than the text. */
  readonly bytes?: number
  /** When the text is not what a model is charged for. */
  readonly tokens?: number
  /** By what it is known again, when its text says too much or too little. */
  readonly identity?: string
  /** Joins a call with its result. */
  readonly callId?: string
  /** The host called by itself, for what a person or it attached. */
  readonly isAttached?: boolean
  /** Calls whose results came in the same turn. */
  readonly beside?: readonly string[]
  /** Why it came, where the wire tells; no part of what it is known by. */
  readonly why?: string
  readonly path?: string
  readonly isConfirmed?: boolean
  readonly isDeferred?: boolean
  /** Its text is for nobody: it holds marks of a machine and an account. */
  readonly isPrivate?: boolean
  /** What a file could have forged: it is looked at again beside the disk. */
  readonly claims?: "instructions" | "lazy" | "turn" | "agents-md" | "skill-list" | "developer"
}

/** Thinking that is sealed has a weight, which its seal only hints at. */
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
 * Everything of a body that no model reads: limits, switches, who asks. One piece, never new, and
 * in front of the turns, so that a longer conversation begins like the shorter one.
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

/** The largest body that is looked into; providers take half of it. */
export const LARGEST_BODY_BYTES = 64 * 1024 ** 2

/** What a picture of about a megapixel costs; its base64 is not text that a model reads. */
export const IMAGE_TOKENS = 1_600
