import { compactsAt, compactWindow } from "#choose/guard"
import type { WireName } from "#ground/contract"
import { modelWindow } from "#see/hosts"

export type HostWindow = {
  readonly tokens: number
  /** The fill at which the host compacts the conversation by itself. */
  readonly compactsAt: number
}

const CLAUDE_WINDOW_TOKENS = 200_000
const CODEX_WINDOW_TOKENS = 272_000

/** Codex compacts at this share of its window. */
const CODEX_COMPACTS_AT = 0.9

type Environment = Readonly<Record<string, string | undefined>>

/** Requests do not tell it, so it comes from the model and the host's settings. */
export function hostWindow(
  wire: WireName,
  model: string | undefined,
  environment: Environment,
): HostWindow {
  if (wire !== "anthropic") {
    const tokens = modelWindow("codex", model) ?? CODEX_WINDOW_TOKENS
    return { tokens, compactsAt: Math.round(tokens * CODEX_COMPACTS_AT) }
  }
  const usual = modelWindow("claude-code", model) ?? CLAUDE_WINDOW_TOKENS
  const tokens = compactWindow(usual, environment)
  return { tokens, compactsAt: compactsAt(tokens) }
}

const MODEL = /"model"\s{0,9}:\s{0,9}"([^"\\]{1,100})"/
const HEAD_BYTES = 1_000

/** Hosts write it at the start of a body, which is not parsed for it. */
export function modelIn(body: Buffer): string | undefined {
  return MODEL.exec(body.toString("latin1", 0, HEAD_BYTES))?.[1]
}
