import { createHmac, timingSafeEqual } from "node:crypto"
import type { Clock, Random } from "#ground/base"
import { OWNER } from "./guard.ts"

/** A link is opened at once by a person who sees it; a forgotten one must not stay good. */
export const LINK_LIFE_MS = 10 * 60_000

/** Links that may be open at once; the oldest goes first. */
export const MOST_OPEN_LINKS = 50

/** How long a browser stays signed in. */
export const SESSION_DAYS = 30

/** The name of a client in its token. */
const LONGEST_CLIENT_NAME_CHARACTERS = 60

const DAY_MS = 86_400_000

/**
 * What opens the door: the user's token (scripts), tokens of clients (MCP), one-time tokens in
 * links, and the cookie that a link is exchanged for. The cookie is signed with the token, so it
 * survives a restart of the server and ends when the token is changed.
 */
export function createKeys(deps: { token: string; clock: Clock; random: Random }) {
  const links = new Map<string, number>()
  const signingKey = createHmac("sha256", deps.token).update("quartermaster session v1").digest()

  const sign = (text: string): string =>
    createHmac("sha256", signingKey).update(text).digest("base64url")

  return {
    /** Whose token it is: the owner's, or that of a client of our tools by its name. */
    bearerOf: (given: string) => bearerOf(given, deps.token),

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

function bearerOf(given: string, token: string): string | undefined {
  if (isSame(given, token)) return OWNER
  const name = given.slice(0, Math.max(0, given.lastIndexOf(".")))
  const isOfClient = isSame(given, clientToken(token, name)) && isClientName(name)
  return isOfClient ? `client:${name}` : undefined
}

/** A token for one client of our tools; it opens nothing else, and ends with the user's token. */
export function clientToken(token: string, name: string): string {
  const key = createHmac("sha256", token).update("quartermaster client v1").digest()
  return `${name}.${createHmac("sha256", key).update(name).digest("base64url")}`
}

/** What a client may be called: it is shown, and it stands in front of a dot. */
export function isClientName(name: string): boolean {
  return name.length <= LONGEST_CLIENT_NAME_CHARACTERS && /^[a-z0-9][a-z0-9-]*$/.test(name)
}

export type Keys = ReturnType<typeof createKeys>

/** Constant time for equal lengths; hashing first makes every length equal. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHmac("sha256", "compare").update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
