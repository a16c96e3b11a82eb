import { createHmac, timingSafeEqual } from "node:crypto"
import type { Clock, Random } from "#ground/base"
import { LINK_LIFE_MS, MOST_OPEN_LINKS, SESSION_DAYS } from "./limits.ts"

const DAY_MS = 86_400_000

/**
 * What opens the door: the user's token (scripts, MCP), one-time tokens in links, and the cookie
 * that a link is exchanged for. The cookie is signed with the token, so it survives a restart of
 * the server and ends when the token is changed.
 */
export function createKeys(deps: { token: string; clock: Clock; random: Random }) {
  const links = new Map<string, number>()
  const signingKey = createHmac("sha256", deps.token).update("quartermaster session v1").digest()

  const sign = (text: string): string =>
    createHmac("sha256", signingKey).update(text).digest("base64url")

  return {
    isBearer: (given: string) => isSame(given, deps.token),

    /** A one-time token for a link; it lives for minutes and dies when it is used. */
    issueLink(): string {
      const now = deps.clock.monotonicMs()
      for (const [link, until] of links) if (until < now) links.delete(link)
      const [oldest] = links.keys()
      if (links.size >= MOST_OPEN_LINKS && oldest !== undefined) links.delete(oldest)
      const link = Buffer.from(deps.random.bytes(32)).toString("base64url")
      links.set(link, now + LINK_LIFE_MS)
      return link
    },

    /** Spend a one-time token; the second time, or late, it is nothing. */
    spendLink(given: string): boolean {
      let isGood = false
      for (const [link, until] of links) {
        if (!isSame(given, link)) continue
        links.delete(link)
        isGood = until >= deps.clock.monotonicMs()
      }
      return isGood
    },

    issueCookie(): string {
      const until = deps.clock.now() + SESSION_DAYS * DAY_MS
      const nonce = Buffer.from(deps.random.bytes(16)).toString("base64url")
      const text = `v1.${until}.${nonce}`
      return `${text}.${sign(text)}`
    },

    isCookie(given: string): boolean {
      const split = given.lastIndexOf(".")
      const text = given.slice(0, Math.max(0, split))
      const until = Number(text.split(".")[1])
      return isSame(given.slice(split + 1), sign(text)) && until > deps.clock.now()
    },
  }
}

export type Keys = ReturnType<typeof createKeys>

/** Constant time for equal lengths; hashing first makes every length equal. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHmac("sha256", "compare").update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
