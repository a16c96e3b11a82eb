import { isReference, isSecretLike, plainness, sampleOf } from "./likeness.ts"
import { bounded, type Parts, patternRule, type Rule } from "./rule.ts"

const NAMES: readonly (readonly [kind: string, words: string])[] = [
  [
    "password",
    "password passwd passphrase pwd passwort kennwort motdepasse contraseña contrasena 密码 密碼 口令",
  ],
  ["secret", "secret credential"],
  [
    "api-key",
    "api_key apikey api-key access_key accesskey access-key app_key application_key " +
      "api-schlüssel 密钥 金鑰",
  ],
  ["private-key", "private_key privatekey private-key signing_key signingkey signing-key"],
  ["encryption-key", "encryption_key encryptionkey encryption-key master_key masterkey master-key"],
  [
    "account-key",
    "account_key accountkey auth_key authkey auth-key service_key servicekey shared_key",
  ],
  ["token", "token 令牌"],
]

/** Names of several words, in prose. */
const PROSE_NAMES: readonly (readonly [kind: string, words: readonly string[]])[] = [
  ["api-key", ["access key", "api key", "secret key", "clé api", "clave api", "clave secreta"]],
  ["password", ["mot de passe"]],
]

/** Suffixes that make a secret's name something else: `token_url`, `passwordLength`. */
const OTHER_WORDS =
  "ids? names? types? ur[li]s? endpoint path file dir count length len size limit max min " +
  "ttl expir[a-z]* age at date time algo[a-z]* alg class field input prompt hint label reset policy " +
  "rules? regex pattern format prefix suffix i[zs]e[a-z]* i[zs]ing list arn ref version scope " +
  "provider store manager index offset start end usage budget hash digest checksum " +
  "fingerprint"
const OTHER_THING = new RegExp(`^s?[_.-]?(?:${anyOf(OTHER_WORDS)})(?![a-z])`, "i")

const QUOTE = "[\"'`]"
const BLANK = "[ \\t]{0,4}"
/**
 * `=`, `: `, `=>`, `": `, `>` of XML, ` is `, `("`, ` "`, and `value:` on its own line.
 */
const BETWEEN = [
  `["'\`\\])]{0,2}${BLANK}(?:=>|:=|:[ \\t]?string[ \\t]?=|[=:]{1,3}|>)${BLANK}`,
  `[ \\t]{1,3}(?:is|was|ist|lautet|est|es)[ \\t]{1,3}(?::[ \\t]{1,3})?`,
  `[ \\t]{0,3}(?:[：是为為]|[ \\t]:[ \\t])[ \\t]{0,3}`,
  `\\([ \\t]{0,2}(?=${QUOTE})`,
  `[ \\t]{1,3}(?=${QUOTE})`,
  `["']?,?\\s{1,40}["']?value["']?\\s{0,2}[:=]\\s{0,2}`,
  "(?<=--[a-z-]{2,40})[ \\t]{1,3}",
].join("|")

/** An escaping backslash ends a value; the unescaped view of the same line continues. */
const QUOTED = `(?<quote>${QUOTE})(?<secret>(?:(?!\\k<quote>)[^\\\\\\r\\n\\0]|\\\\.){8,})`
/** `&` ends a value only before the next `name=` of a query, or another `&`. */
const BARE =
  "(?<secret>(?:[^\\s\"'`,;&<>|\\\\\\0]|&(?![&\\w.%-]{1,40}=|&|[a-z]{2,8};)|" +
  "\\\\(?![nrtbfux\"'\\\\/])){8,})"

/**
 * `name = value` with a secret name and a value that reads like a key. Text before the keyword in
 * the name does not matter; text after it may make it something else.
 */
export const NAME_RULES: readonly Rule[] = [
  ...NAMES.map(([kind, words]) => nameRule(kind, words.split(" "), "[A-Za-z0-9_.-]{0,32}?")),
  // `pass` alone: longer words that begin with it are not about secrets.
  nameRule("password", ["pass"], "(?<![A-Za-z]pass)"),
  nameRule("password", ["pw"], "(?<![A-Za-z0-9]pw)"),
  // As in `AZURE_DEVOPS_PAT`: a personal access token.
  nameRule("token", ["_pat"], ""),
]

export const PROSE_RULES: readonly Rule[] = PROSE_NAMES.map(([kind, words]) =>
  nameRule(kind, words, ""),
)

function nameRule(kind: string, words: readonly string[], tail: string): Rule {
  const name = words.map((it) => RegExp.escape(it)).join("|")
  return patternRule({
    kind,
    keywords: words,
    pattern: new RegExp(
      bounded(`(?<lead>(?<word>${name})(?<tail>${tail})(?:${BETWEEN}))(?:${QUOTED}|${BARE})`),
      "iy",
    ),
    isSecret: (parts) => isNamedSecret(kind, parts),
    rest: /[A-Za-z0-9+/=_~-]*/y,
  })
}

/** The rest of an expression after a closing quote, or a sentence. */
const NO_VALUE = /^[\s"'`,;)]|^\+(?: |[\w$]{1,3}[),.;[(])|^[^\s]{1,64}[ \t][^\s]{1,64}[ \t]/

/** A regular expression, a comment, a member of `$`, a function of CSS, a name in parts, or an abbreviated example. */
const CODE = /\(\?[:=!<]|\/\*|^\$\.|^url\(|^[a-z]{2,12}:[a-z]{2,12}$|(?:\.{3}|…)$/

/** The choice of two short names in minified code: `s?fae:lW`. */
const SHORT_CHOICE = /^[\w$]{1,3}\?[\w$.]{1,8}:[\w$.]{1,8}$/

/** `"\x6d\x61…"`: the view without escapes has the value itself. */
const HEX_ESCAPES = /^(?:\\x[0-9a-fA-F]{2}){4,}$/

function isNamedSecret(kind: string, { secret, groups }: Parts): boolean {
  if (OTHER_THING.test(groups["tail"] ?? "")) return false
  if (CODE.test(secret) || HEX_ESCAPES.test(secret)) return false
  if (groups["quote"] === undefined && SHORT_CHOICE.test(secret)) return false
  if (NO_VALUE.test(secret) || isReference(sampleOf(secret))) return false
  if (/^\.{0,2}\//.test(secret) && plainness(secret) > 0.4) return false
  // Code in place of a value: a call, an index, a pattern. `NAME=value` is an environment line.
  const isCode = groups["quote"] === undefined && /[()[\]{}]/.test(secret)
  if (isCode && !/^[A-Z0-9_]+=$/.test(groups["lead"] ?? "")) return false
  return kind === "password" ? isSecretLike(secret, { atMostPlain: 0.6 }) : isSecretLike(secret)
}

const SECRET_WORDS =
  "pass pass(?:word|wd|phrase|code) pwd secrets? token api[_-]?keys? credentials? " +
  "authori[sz]ation cookies? bearer connection[_-]?string dsn"
const KEYS_OF_SECRETS =
  "access private secret signing encryption master auth account service shared client"
const SECRET_KEY = new RegExp(
  `^(?:.*[_.\\s-])?(?:${anyOf(SECRET_WORDS)}|(?:${anyOf(KEYS_OF_SECRETS)})[_-]?keys?)$`,
  "i",
)

/** The value of such a key is replaced, whatever it looks like. */
export function isSecretKey(key: string): boolean {
  // `accessToken` and `access_token` are the same name.
  return SECRET_KEY.test(key.replace(/([a-z0-9])([A-Z])/g, "$1_$2"))
}

function anyOf(words: string): string {
  return words.replaceAll(" ", "|")
}
