import { createHmac, timingSafeEqual } from "node:crypto"
import type { Clock, Random } from "#ground/base"
import { OWNER } from "./guard.ts"

/** A link is usually opened at once; an unused one must expire. */
export const LINK_LIFE_MS = 10 * 60_000

/** The oldest is dropped first. */
export const MOST_OPEN_LINKS = 50

export const SESSION_DAYS = 30

const LONGEST_CLIENT_NAME_CHARACTERS = 60

const DAY_MS = 86_400_000

/**
 * Credentials: the user's token (scripts), client tokens (MCP), one-time tokens in links, and the
 * cookie that a link is exchanged for. The cookie is signed with the token: it survives a restart
 * of the server and becomes invalid with a new token.
 */
export function createKeys(deps: { token: string; clock: Clock; random: Random }) {
  const links = new Map<string, number>()
  const signingKey = createHmac("sha256", deps.token).update("quartermaster session v1").digest()

  const sign = (text: string): string =>
    createHmac("sha256", signingKey).update(text).digest("base64url")

  return {
    /**
     * `owner`, or the client's name.
     */
    bearerOf: (given: string) => bearerOf(given, deps.token),

    issueLink(): string {
      const now = deps.clock.monotonicMs()
      for (const [link, until] of links) if (until < now) links.delete(link)
      const [oldest] = links.keys()
      if (links.size >= MOST_OPEN_LINKS && oldest !== undefined) links.delete(oldest)
      const link = Buffer.from(deps.random.bytes(32)).toString("base64url")
      links.set(link, now + LINK_LIFE_MS)
      return link
    },

    /** False the second time, or after it expired. */
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

/** Opens only the tools, and becomes invalid with the user's token. */
export function clientToken(token: string, name: string): string {
  const key = createHmac("sha256", token).update("quartermaster client v1").digest()
  return `${name}.${createHmac("sha256", key).update(name).digest("base64url")}`
}

/** The name is shown, and precedes a dot in the token. */
export function isClientName(name: string): boolean {
  return name.length <= LONGEST_CLIENT_NAME_CHARACTERS && /^[a-z0-9][a-z0-9-]*$/.test(name)
}

export type Keys = ReturnType<typeof createKeys>

/** Constant time for equal lengths; hashing makes the lengths equal. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHmac("sha256", "compare").update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
