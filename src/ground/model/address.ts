import { AddressInvalid } from "./errors.ts"

/**
 * An address the key may be sent to, without the slash at its end. What is not on this machine is
 * reached by https only.
 */
export function checkAddress(address: string, setting: string): URL {
  const url = URL.parse(address)
  if (url === null) throw AddressInvalid({ setting, reason: "it is not a URL" })
  const reason = problemOf(url)
  if (reason !== undefined) throw AddressInvalid({ setting, reason })
  url.pathname = url.pathname.replace(/\/+$/, "")
  return url
}

/** The path is added to the address's own; the URL parser leaves a bare origin with a slash. */
export function under(url: URL, path: string): string {
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}${path}`
}

function problemOf(url: URL): string | undefined {
  const isPlain = url.protocol === "http:"
  if (!isPlain && url.protocol !== "https:") return `${url.protocol} is not supported`
  if (isPlain && !isLoopback(url.hostname)) return "http leaves the key readable on the way"
  if (url.username !== "" || url.password !== "") return "it has a user or a password in it"
  if (url.search !== "" || url.hash !== "") return "it has a query or a fragment"
  return undefined
}

/** The parser has made 127.1 and 0x7f.1 the same already. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname)
}
