import type { Client } from "../data/client.ts"

/**
 * The link of `qm open` carries a one-time token in its fragment, which no server and no log sees.
 * It leaves the address bar before anything else happens, and is worth nothing once exchanged.
 */
export async function enterByLink(client: Client): Promise<void> {
  const token = takeToken(window.location.hash)
  if (token === null) return
  window.history.replaceState(null, "", `${window.location.pathname}${window.location.search}`)
  await client.enter(token)
}

function takeToken(hash: string): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get("t")
  return token === "" ? null : token
}
