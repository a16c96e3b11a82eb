import type { FetchLike } from "@modelcontextprotocol/client"
import { isLoopback } from "../describe/command.ts"

/** Metadata, a registration or tokens have a few kilobytes. */
const LARGEST_RESPONSE_BYTES = 256_000

/**
 * For requests to addresses that a server named: no redirect, bounded, and plain http only between
 * programs of this machine. A server elsewhere cannot send us to one of our own services.
 */
export function oauthFetch(sourceUrl: string, signal: AbortSignal): FetchLike {
  const isLocalSource = isLoopback(new URL(sourceUrl).hostname)
  return async (url, init) => {
    const problem = problemOf(new URL(url), isLocalSource)
    if (problem !== undefined) throw new Error(`${new URL(url).origin} ${problem}`)
    const signals = [signal, ...(init?.signal instanceof AbortSignal ? [init.signal] : [])]
    const response = await fetch(url, {
      ...init,
      redirect: "error",
      signal: AbortSignal.any(signals),
    })
    const { status, statusText, headers } = response
    const body = await readBounded(response)
    const isEmpty = status === 204 || status === 304
    return new Response(isEmpty ? null : body, {
      status,
      statusText,
      headers: withoutTransfer(headers),
    })
  }
}

export function problemOf(url: URL, isLocalSource: boolean): string | undefined {
  const isLocal = isLoopback(url.hostname)
  if (isLocal && !isLocalSource) return "is an address of this machine, named by another one"
  if (url.username !== "" || url.password !== "") return "has a user name or a password"
  if (url.protocol === "https:" || (url.protocol === "http:" && isLocal)) return undefined
  return "must start with https"
}

/** Without those of the transfer: the body is complete here. */
function withoutTransfer(headers: Headers): Headers {
  const copy = new Headers(headers)
  for (const name of ["content-encoding", "content-length", "transfer-encoding"]) copy.delete(name)
  return copy
}

async function readBounded(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  if (response.body === null) return Buffer.alloc(0)
  const body: AsyncIterable<Uint8Array> = response.body
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > LARGEST_RESPONSE_BYTES) {
      throw new Error(`the response has more than ${LARGEST_RESPONSE_BYTES} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
