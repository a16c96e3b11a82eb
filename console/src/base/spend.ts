import { formatUsd } from "#ground/base/format"
import type { Spend } from "../contract.ts"

/** An unknown price is shown as text, never as 0; a plus marks a sum without some calls. */
export function formatSpend({ usd, price, calls }: Spend): string {
  if (calls === 0) return ""
  if (usd === null) return "unknown"
  return `${formatUsd(usd)}${price === "partly unknown" ? "+" : ""}`
}

export function allTokens({ tokens }: Spend): number {
  const { input, cacheRead, cacheWrite, cacheWriteHour, output } = tokens
  return input + cacheRead + cacheWrite + cacheWriteHour + output
}

/** Of the tokens sent; null if none were sent. */
export function cacheHitShare({ tokens }: Spend): number | null {
  const { input, cacheRead, cacheWrite, cacheWriteHour } = tokens
  const sent = input + cacheRead + cacheWrite + cacheWriteHour
  return sent === 0 ? null : cacheRead / sent
}
