import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import path from "node:path"
import {
  type Clock,
  createFile,
  ensureDirectory,
  invariant,
  listDirectory,
  type Random,
  removeFile,
  statNow,
} from "#ground/base"
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
 * cookie that a link is exchanged for. All are derived from the token or bound to it, and each use
 * calls `token()`: a cookie survives a restart of the server, and a removed or replaced token
 * ends everything at once.
 */
export function createKeys(deps: KeysDeps) {
  const links = new Map<string, { readonly until: number; readonly token: string | undefined }>()
  const signedOut = createSignedOut(deps)

  return {
    /**
     * `owner`, or the client's name.
     */
    bearerOf(value: string): string | undefined {
      const token = deps.token()
      return token === undefined ? undefined : bearerOf(value, token)
    },

    issueLink(): string {
      const now = deps.clock.monotonicMs()
      for (const [link, { until }] of links) if (until < now) links.delete(link)
      const [oldest] = links.keys()
      if (links.size >= MOST_OPEN_LINKS && oldest !== undefined) links.delete(oldest)
      const link = Buffer.from(deps.random.bytes(32)).toString("base64url")
      links.set(link, { until: now + LINK_LIFE_MS, token: deps.token() })
      return link
    },

    /** False the second time, after it expired, or after the token changed. */
    spendLink(value: string): boolean {
      const token = deps.token()
      let isGood = false
      for (const [link, issued] of links) {
        if (!isSame(value, link)) continue
        links.delete(link)
        const isInTime = issued.until >= deps.clock.monotonicMs()
        isGood = isInTime && token !== undefined && issued.token === token
      }
      return isGood
    },

    issueCookie(): string {
      const token = deps.token()
      invariant(token !== undefined, "a cookie is issued for a link, which needs a token")
      const until = deps.clock.now() + SESSION_DAYS * DAY_MS
      const nonce = Buffer.from(deps.random.bytes(16)).toString("base64url")
      const text = `v1.${until}.${nonce}`
      return `${text}.${sign(text, token)}`
    },

    isCookie(value: string): boolean {
      const token = deps.token()
      if (token === undefined) return false
      const { text, until, signature } = readCookie(value)
      const isSigned = isSame(signature, sign(text, token))
      return isSigned && until > deps.clock.now() && !signedOut.has(text)
    },

    /** For this server, every other server of the user, and after a restart. */
    signOut: (value: string) => signedOut.add(readCookie(value).text),
  }
}

type KeysDeps = {
  readonly token: () => string | undefined
  readonly home: string
  readonly clock: Clock
  readonly random: Random
}

function sign(text: string, token: string): string {
  const key = createHmac("sha256", token).update("quartermaster session v1").digest()
  return createHmac("sha256", key).update(text).digest("base64url")
}

function readCookie(value: string) {
  const split = value.lastIndexOf(".")
  const text = value.slice(0, Math.max(0, split))
  return { text, until: Number(text.split(".")[1]), signature: value.slice(split + 1) }
}

/** One sign-out every five minutes for as long as a cookie is valid. */
const MOST_SIGNED_OUT = 10_000

/**
 * Cookies that were signed out before they expired: one empty file each, because several servers
 * add to them at once. The name has the time after which the cookie is refused anyway.
 */
function createSignedOut({ home, clock }: Pick<KeysDeps, "home" | "clock">) {
  const folder = path.join(home, "signed-out")
  const fileOf = (text: string): string => {
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 32)
    return path.join(folder, `${text.split(".")[1]}-${hash}`)
  }

  async function removeExpired(): Promise<void> {
    const listed = await listDirectory(folder, { maxEntries: MOST_SIGNED_OUT })
    if (listed.kind !== "listed") return
    for (const { name } of listed.entries) {
      if (Number(name.split("-")[0]) < clock.now()) await removeFile(path.join(folder, name))
    }
  }

  return {
    has: (text: string): boolean => statNow(fileOf(text)) !== undefined,
    async add(text: string): Promise<void> {
      await ensureDirectory(folder)
      await createFile(fileOf(text))
      await removeExpired()
    },
  }
}

function bearerOf(value: string, token: string): string | undefined {
  if (isSame(value, token)) return OWNER
  const name = value.slice(0, Math.max(0, value.lastIndexOf(".")))
  const isOfClient = isSame(value, clientToken(token, name)) && isClientName(name)
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
function isSame(value: string, expected: string): boolean {
  const digest = (text: string) => createHmac("sha256", "compare").update(text).digest()
  return timingSafeEqual(digest(value), digest(expected))
}
