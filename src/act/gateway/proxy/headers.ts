import type { Header } from "./exchange.ts"

const HOP_BY_HOP = new Set(["connection", "keep-alive", "transfer-encoding", "te", "upgrade"])

/** Methods without a body; for others Node would add framing. */
const WITHOUT_BODY = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"])

export function pairsOf(raw: readonly string[]): readonly Header[] {
  const pairs: Header[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? "", raw[at + 1] ?? ""])
  return pairs
}

export function trailersOf(raw: readonly string[]): [string, string][] {
  return pairsOf(raw).map(([name, value]) => [name, value])
}

export function valuesOf(headers: readonly Header[], name: string): readonly string[] {
  return headers.filter(([it]) => it.toLowerCase() === name).map(([, value]) => value)
}

export function has(headers: readonly Header[], name: string): boolean {
  return headers.some(([it]) => it.toLowerCase() === name)
}

/**
 * Flat as Node takes them: the same names, case, order and values, except for the host and
 * connection headers. `changedBytes` is the size of a changed body.
 */
export function forwardedHeaders(
  request: { readonly method: string; readonly headers: readonly Header[] },
  host: string,
  changedBytes?: number,
): readonly string[] {
  const isChunked = changedBytes === undefined && has(request.headers, "transfer-encoding")
  const flat: string[] = []
  for (const [name, value] of request.headers) {
    const low = name.toLowerCase()
    if (low === "host") flat.push(name, host)
    else if (low === "content-length") flat.push(name, String(changedBytes ?? value))
    else if (low === "transfer-encoding" && isChunked) flat.push(name, value)
    else if (isPassed(low, isChunked)) flat.push(name, value)
  }
  const isFramed = isChunked || has(request.headers, "content-length")
  const needsFrame = changedBytes !== undefined || !WITHOUT_BODY.has(request.method)
  if (!isFramed && needsFrame) flat.push("Content-Length", String(changedBytes ?? 0))
  return flat
}

/** Node frames the body itself. */
export function returnedHeaders(raw: readonly string[], canHaveTrailers: boolean): string[] {
  return pairsOf(raw)
    .filter(([name]) => isPassed(name.toLowerCase(), canHaveTrailers))
    .flat()
}

/** We answer `Expect` ourselves. Node throws at a `Trailer` line on a message without trailers. */
function isPassed(name: string, canHaveTrailers: boolean): boolean {
  if (name === "trailer") return canHaveTrailers
  return !HOP_BY_HOP.has(name) && !name.startsWith("proxy-") && name !== "expect"
}
