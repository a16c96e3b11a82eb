import { decodedBase64, isPrintable } from "../encodings/base64.ts"
import { LONGEST_JUDGED_COOKIES_CHARACTERS } from "../limits.ts"
import { entropyBits, isPlaceholder, isReference, isSecretLike, plainness } from "./likeness.ts"
import { bounded, type KeywordHit, type Parts, patternRule, type Rule } from "./rule.ts"

const isOdd = ({ secret }: Parts) =>
  isSecretLike(secret, { atMostPlain: 0.6 }) && !isReference(secret)
const isRandom = ({ secret }: Parts) => entropyBits(secret) >= 2.5 && !isPlaceholder(secret)

/** For secrets that end with the pattern. */
const NOTHING = /(?:)/y

/** Placeholder passwords of examples, or part of a template. */
const NO_PASSWORD = new RegExp(
  "^(?:(?:my|some|the)?(?:pass(?:word|wd|phrase)?|pwd?|secret)|user(?:name)?|root|admin|guest|test|" +
    "token|key|postgres|mysql|redis|[x*.]+|\\[.*|.{0,3})$",
  "i",
)

/** Example values such as `token123` and `my-token-1`. Real tokens are longer or random. */
const NAMED_TOKEN = /^(?:(?:my|some|the|test)[-_]?)?(?:access[-_]?)?token[-_]?\d{0,4}$/i
const isToken = (parts: Parts) => isOdd(parts) && !NAMED_TOKEN.test(parts.secret)

export function isPassword({ secret, groups }: Parts): boolean {
  if (NO_PASSWORD.test(secret) || isPlaceholder(secret) || isReference(secret)) return false
  return secret !== groups["user"] && !/[{}$`]{2}|^[{$]/.test(secret)
}

/**
 * `-u` of other programs: `date -u +%H:%M:%S`, `-u C:\Users`, `-u a.py::test`, `-u refs/a:refs/b`; and
 * `--user <user:password>` in help texts.
 */
function isOtherPair({ secret, groups }: Parts): boolean {
  const user = groups["user"] ?? ""
  if (/%[A-Za-z]/.test(user) && secret.startsWith("%")) return true
  if (/^[A-Za-z]$/.test(user) && /^[\\/]/.test(secret)) return true
  return secret.startsWith(":") || user.startsWith("<") || secret.startsWith("refs/")
}

/** A port and a path before an `@`, as in `localhost:3000/@scope/name`, are not a password. */
function isRaw({ secret }: Parts): boolean {
  return !/^\d{1,5}(?:[/?#]|$)/.test(secret) && plainness(secret) < 0.6
}

function isBasicPair({ secret }: Parts): boolean {
  const text = decodedBase64(secret)
  const password = text.slice(text.indexOf(":") + 1)
  return text.includes(":") && isPrintable(text) && isPassword({ secret: password, groups: {} })
}

export const STRUCTURE_RULES: readonly Rule[] = [
  { keywords: ["-----begin"], find: findKeyBlock },
  { keywords: ["eyj"], find: findWebToken },
  patternRule({
    kind: "putty-key",
    keywords: ["private-lines:"],
    pattern:
      /(?<lead>Private-Lines: {0,2}\d{1,4}\r?\n[ \t-]{0,20})(?<secret>[A-Za-z0-9+/=]{20,76})/y,
    isSecret: isRandom,
    rest: /(?:\r?\n[ \t-]{0,20}[A-Za-z0-9+/=]{1,76}(?![:\w-]))*/y,
  }),
  patternRule({
    kind: "url-password",
    keywords: ["://"],
    pattern: new RegExp(
      "(?<lead>:\\/\\/(?<user>[^\\s:@/\"'`<>\\0]{0,80}):)" +
        "(?:(?<secret>[^\\s/\"'`<>\\0]{1,256})@[\\w.[-]|" +
        "(?<secret>[^\\s\"'`<>\\0]{6,128})@(?=[\\w.-]{1,200}(?::\\d|[/?\"'\\s]|$)))",
      "y",
    ),
    isSecret: (parts) => isPassword(parts) && (!parts.secret.includes("/") || isRaw(parts)),
    rest: NOTHING,
  }),
  patternRule({
    kind: "url-token",
    keywords: ["://"],
    pattern: /(?<lead>:\/\/)(?<secret>[A-Za-z0-9_.~%-]{16,256})@[\w.[-]/y,
    isSecret: isOdd,
    rest: NOTHING,
  }),
  patternRule({
    kind: "authorization",
    keywords: ["authorization"],
    pattern: new RegExp(
      "(?<lead>authorization[\"'`\\]]{0,2}[ \\t]{0,3}(?:=>|[:=,])[ \\t]{0,3}[\"'`]?" +
        "(?:(?:bearer|token|digest|apikey|api-key|key|bot|ssws|negotiate)[ \\t]{1,3})?)" +
        "(?<secret>[^\\s\"'`,;<>\\\\\\0]{8,256})",
      "iy",
    ),
    isSecret: isToken,
  }),
  patternRule({
    kind: "bearer-token",
    keywords: ["bearer", "ssws"],
    pattern:
      /(?<lead>(?<![A-Za-z0-9/]|[A-Za-z0-9/]\+)(?:bearer|ssws)(?:[ \t+]|%20){1,3})(?<secret>[A-Za-z0-9._~+/=-]{12,256})/iy,
    isSecret: isOdd,
  }),
  patternRule({
    kind: "basic-authorization",
    keywords: ["basic"],
    pattern: /(?<lead>basic(?:[ \t+]|%20){1,3})(?<secret>[A-Za-z0-9+/_-]{8,256}={0,2})/iy,
    isSecret: isBasicPair,
  }),
  patternRule({
    kind: "docker-login",
    keywords: ['"auth"', ":_auth="],
    pattern: /(?<lead>"auth"\s{0,3}:\s{0,3}"|:_auth="?)(?<secret>[A-Za-z0-9+/]{8,256}={0,2})/y,
    isSecret: isBasicPair,
  }),
  patternRule({
    kind: "cookie",
    keywords: ["cookie"],
    pattern: new RegExp(
      "(?<lead>cookie[\"'`\\]]{0,2}[ \\t]{0,3}(?:=>|[:=,])[ \\t]{0,3}[\"'`]?)" +
        "(?<secret>[^\\s=;,\"'`\\0]{1,64}=" +
        `[^\\r\\n"'\`\\0]{8,${LONGEST_JUDGED_COOKIES_CHARACTERS}})`,
      "iy",
    ),
    isSecret: isCookies,
    rest: /[^\r\n"'`\0]*/y,
  }),
  patternRule({
    kind: "netrc-password",
    keywords: ["login"],
    pattern: /(?<lead>login[ \t]{1,4}\S{1,80}\s{1,8}password[ \t]{1,4})(?<secret>[^\s\0]{4,256})/y,
    isSecret: isPassword,
    rest: NOTHING,
  }),
  patternRule({
    kind: "command-password",
    keywords: ["-u ", "--user ", "--user="],
    pattern:
      /(?<lead>(?<![\w-])(?:-u|--user)[ =]["']?(?<user>[^\s:"'\0]{1,80}):)(?!\/\/)(?<secret>[^\s"'\0]{6,256})/y,
    isSecret: (parts) =>
      isPassword(parts) &&
      plainness(parts.secret) < 0.8 &&
      /\D/.test(parts.secret) &&
      !isOtherPair(parts),
  }),
  patternRule({
    kind: "command-password",
    keywords: ["sshpass"],
    pattern: /(?<lead>sshpass[ \t]{1,3}-p[ \t]{0,3}["']?)(?<secret>[^\s"'\0]{4,256})/y,
    isSecret: isPassword,
  }),
  patternRule({
    kind: "command-password",
    keywords: ["docker login", "podman login"],
    pattern:
      /(?<lead>(?:docker|podman) login[^\r\n\0]{0,200}?[ \t](?:-p|--password)[ =]["']?)(?<secret>[^\s"'\0]{4,256})/y,
    isSecret: isPassword,
  }),
  patternRule({
    kind: "command-password",
    keywords: ["mysql", "mysqldump", "mariadb"],
    pattern:
      /(?<lead>(?:mysql|mysqldump|mariadb)[ \t][^\r\n\0]{0,200}?[ \t]-p["']?)(?<secret>[^\s"'\0-][^\s"'\0]{5,255})/y,
    isSecret: isOdd,
  }),
  patternRule({
    kind: "pgpass-password",
    keywords: [":5432:"],
    pattern: /(?<lead>:5432:[^\s:\0]{1,64}:[^\s:\0]{1,64}:)(?<secret>[^\s\0]{8,256})/y,
    isSecret: isOdd,
    rest: NOTHING,
  }),
  patternRule({
    kind: "web-key",
    keywords: ['"d":', '"k":'],
    pattern:
      /(?<lead>"[dk]":[ \t]{0,2}")(?<secret>[A-Za-z0-9_-]{42,256})(?=[A-Za-z0-9_-]{0,512}")/y,
    isSecret: isOdd,
  }),
  patternRule({
    kind: "slack-webhook",
    keywords: ["hooks.slack.com/"],
    pattern:
      /(?<lead>hooks\.slack\.com\/(?:services|workflows|triggers)\/)(?<secret>[A-Za-z0-9/]{24,256})/y,
    isSecret: isRandom,
  }),
  patternRule({
    kind: "discord-webhook",
    keywords: ["/api/webhooks/"],
    pattern: /(?<lead>\/api\/webhooks\/)(?<secret>[0-9]{16,20}\/[A-Za-z0-9_-]{60,80})/y,
    isSecret: isRandom,
  }),
  patternRule({
    kind: "teams-webhook",
    keywords: [".webhook.office.com/webhookb2/"],
    pattern:
      /(?<lead>\.webhook\.office\.com\/webhookb2\/)(?<secret>[A-Za-z0-9@-]{36,80}\/IncomingWebhook\/[A-Za-z0-9/-]{32,120})/y,
    isSecret: isRandom,
  }),
  patternRule({
    kind: "zapier-webhook",
    keywords: ["hooks.zapier.com/hooks/catch/"],
    pattern:
      /(?<lead>hooks\.zapier\.com\/hooks\/catch\/)(?<secret>[0-9]{4,12}\/[A-Za-z0-9]{5,40})/y,
    isSecret: isRandom,
  }),
  patternRule({
    kind: "telegram-token",
    keywords: [":aa"],
    pattern: /(?<=(?<back>(?<!\d)\d{8,10})):AA[A-Za-z0-9_-]{32,34}/y,
    isSecret: isRandom,
  }),
  patternRule({
    kind: "mailchimp-key",
    keywords: ["-us"],
    pattern: /(?<=(?<back>(?<![0-9a-f])[0-9a-f]{32}))-us[0-9]{1,2}(?!\w)/y,
    isSecret: isRandom,
  }),
  patternRule({
    kind: "terraform-token",
    keywords: [".atlasv1."],
    pattern: /(?<=(?<back>(?<!\w)[A-Za-z0-9]{14}))\.atlasv1\.[A-Za-z0-9_=-]{60,70}/y,
    isSecret: isRandom,
  }),
  patternRule({
    kind: "azure-client-secret",
    keywords: ["q~"],
    pattern: /(?<=(?<back>(?<![\w~.]|[\w~.-]-)[A-Za-z0-9_~.-]{3}[0-9]))Q~[A-Za-z0-9_~.-]{31,34}/y,
    isSecret: isRandom,
  }),
  patternRule({
    kind: "azure-storage-key",
    keywords: ["accountkey=", "sharedaccesskey="],
    pattern: /(?<lead>(?:Account|SharedAccess)Key=)(?<secret>[A-Za-z0-9+/]{43,86}={1,2})/y,
    isSecret: isRandom,
  }),
  patternRule({
    kind: "azure-signature",
    keywords: ["sig="],
    pattern: /(?<lead>(?<=[?&;"'])sig=)(?<secret>(?:[A-Za-z0-9+/]|%2[BbFf]){43}(?:=|%3[Dd]))/y,
    isSecret: isRandom,
  }),
]

/** The first part of a Discord token is a number in base64: it has a shape but no keyword. */
export const DISCORD_TOKEN: Rule = patternRule({
  kind: "discord-token",
  keywords: [],
  pattern: new RegExp(bounded("(?<id>[MNO][A-Za-z0-9_-]{22,27})\\.[\\w-]{6}\\.[\\w-]{27,}"), "y"),
  isSecret: ({ groups }) => /^\d{16,20}$/.test(decodedBase64(groups["id"] ?? "")),
})

const BLOCK_HEAD = /-----BEGIN[ +](?:[A-Z0-9]{2,12}[ +]){0,3}PRIVATE[ +]KEY(?:[ +]BLOCK)?-----/y
/** Has one more dash in a diff that removes the key; then each line begins with one. */
const BLOCK_TAIL = /-{5,6}END[ +][A-Z0-9 +]{0,40}-----/y
const BLOCK_BODY = /(?:[A-Za-z0-9+/=\s\\]|(?<=\n)-(?!-))*/y
const DASHES = "-----"

/** Private keys of all formats. A block without an end is removed as far as it looks like a key. */
function findKeyBlock({ text, at, work }: KeywordHit) {
  BLOCK_HEAD.lastIndex = at
  const head = BLOCK_HEAD.exec(text)
  work.steps += DASHES.length
  if (head === null) return undefined
  const start = at + head[0].length
  const next = text.indexOf(DASHES, start)
  const barrier = next < 0 ? text.length : next
  work.steps += barrier - at
  BLOCK_TAIL.lastIndex = barrier
  const tail = BLOCK_TAIL.exec(text)?.[0].length
  BLOCK_BODY.lastIndex = start
  const end = tail === undefined ? start + (BLOCK_BODY.exec(text)?.[0].length ?? 0) : barrier + tail
  // Source code that reads keys contains only the first line.
  const body = /[A-Za-z0-9+/=]{40}/.exec(text.slice(start, Math.min(end, start + 2_048)))?.[0] ?? ""
  return entropyBits(body) >= 3 ? { start: at, end, kind: "private-key" } : undefined
}

/** A single dash is that of a list or a diff. */
const INSIDE_A_RUN = /[A-Za-z0-9_]$|[\w-]-$/
const TOKEN_PART = /[A-Za-z0-9_-]*/y
const MOST_TOKEN_PARTS = 5
/** `{"alg":""}` in base64. */
const SHORTEST_TOKEN_HEADER_CHARACTERS = 14

function findWebToken({ text, at, work }: KeywordHit) {
  work.steps++
  // Inside a run of letters only its start counts, so no run is read twice.
  if (INSIDE_A_RUN.test(text.slice(Math.max(0, at - 2), at))) return undefined
  let end = at
  let parts = 0
  let header = ""
  while (parts < MOST_TOKEN_PARTS && (parts === 0 || text[end] === ".")) {
    const start = parts === 0 ? at : end + 1
    end = endOfPart(text, start)
    if (parts === 0) header = text.slice(at, end)
    work.steps += end - start + 1
    parts++
  }
  const isToken =
    parts >= 3 &&
    header.length >= SHORTEST_TOKEN_HEADER_CHARACTERS &&
    decodedBase64(header.replace(/\s/g, "").slice(0, 4_096)).includes('"alg"')
  return isToken ? { start: at, end, kind: "web-token" } : undefined
}

/** Hard-wrapped text breaks a token inside a part, and the next line has nothing else. */
const TOKEN_WRAP =
  /(?<=[\w.-]{40})\r?\n[ \t]{0,8}(?=[\w-]{1,256}(?:\.[\w-]{1,256}){0,2}[ \t]{0,8}(?:\r?\n|$))/y
const MOST_TOKEN_LINES = 64

function endOfPart(text: string, start: number): number {
  TOKEN_PART.lastIndex = start
  let end = start + (TOKEN_PART.exec(text)?.[0].length ?? 0)
  for (let lines = 0; lines < MOST_TOKEN_LINES; lines++) {
    if (text[end] !== "\n" && text[end] !== "\r") return end
    TOKEN_WRAP.lastIndex = end
    const wrap = TOKEN_WRAP.exec(text)
    if (wrap === null) return end
    const next = end + wrap[0].length
    TOKEN_PART.lastIndex = next
    end = next + (TOKEN_PART.exec(text)?.[0].length ?? 0)
  }
  return end
}

function isCookies({ secret }: Parts): boolean {
  return secret.split(/;\s*/).some((pair) => {
    const at = pair.indexOf("=")
    if (at < 0 || /^(?:expires|path|domain|max-age|samesite)$/i.test(pair.slice(0, at)))
      return false
    // A sentence may follow the last cookie; a value has no spaces.
    const value =
      pair
        .slice(at + 1)
        .split(/[\s,]/, 1)[0]
        ?.replace(/[.)]$/, "") ?? ""
    return isOdd({ secret: value, groups: {} })
  })
}
