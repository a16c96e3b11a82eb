import {
  entropyBits,
  isPlaceholder,
  isReference,
  isSecretLike,
  plainness,
} from "./rules/likeness.ts"
import { type Parts, patternRule, type Rule } from "./rules/rule.ts"
import { isPassword } from "./rules/structures.ts"

const isOdd = ({ secret }: Parts) =>
  isSecretLike(secret, { atMostPlain: 0.6 }) && !isReference(secret)

/** Case, digits and letters mixed: an id or a word in the same place is not. */
const isMixed = ({ secret }: Parts) =>
  entropyBits(secret) >= 3.5 && /\d/.test(secret) && /[A-Z]/.test(secret) && !isPlaceholder(secret)

const isHash = ({ secret }: Parts) => entropyBits(secret) >= 3 && !isPlaceholder(secret)

const SECRET_NAMES = "PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|SECRET|TOKEN|KEY|CREDENTIALS?"

/** Of `host:port:database:user:password`; a colon before any digit would be everywhere. */
const PGPASS_PORTS = ":*: :5433: :5434: :5435: :5439: :6432: :6543: :15432: :25060: :26257:"

/** Secrets recognised by the words or the file format around them. */
export const PLACEMENT_RULES: readonly Rule[] = [
  patternRule({
    kind: "aws-secret-key",
    keywords: ["akia", "asia"],
    pattern:
      /(?<lead>A[KS]IA[A-Z2-7]{16}(?![A-Z2-7])[^\r\n\0]{1,60}?(?<![A-Za-z0-9+/]))(?<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/y,
    isSecret: isMixed,
  }),
  patternRule({
    kind: "password",
    keywords: ["sshpass=", "bindpw", "psk"],
    pattern:
      /(?<lead>(?<![A-Za-z])(?:sshpass=|bindpw[ \t]{0,3}[=: \t][ \t]{0,3}|psk[ \t]{0,2}=[ \t]{0,2}|psk[ \t]{1,2}(?="))["']?)(?<secret>[^\s"'\0]{8,256})/iy,
    isSecret: (parts) => isPassword(parts) && plainness(parts.secret) < 0.8,
    rest: /[^\s"'\0]*/y,
  }),
  patternRule({
    kind: "secret",
    keywords: ["env ", "arg "],
    pattern: new RegExp(
      `(?<lead>(?<![\\w.])(?:ENV|ARG)[ \\t]{1,4}[A-Z0-9_]{0,60}(?:${SECRET_NAMES})[ \\t]{1,4}["']?)` +
        "(?<secret>[^\\s\"'\\0]{8,256})",
      "y",
    ),
    isSecret: isOdd,
    rest: /[^\s"'\0]*/y,
  }),
  patternRule({
    kind: "pgpass-password",
    keywords: PGPASS_PORTS.split(" "),
    pattern:
      /(?<lead>:(?:\d{2,5}|\*):[^\s:\0]{1,64}:[^\s:\0]{1,64}:)(?!\*[:"'`])(?<secret>[^\s\0]{8,256})/y,
    isSecret: isOdd,
    rest: /(?:)/y,
  }),
  // A line of its own, on any port.
  patternRule({
    kind: "pgpass-password",
    keywords: Array.from("0123456789", (digit) => `${digit}:`),
    pattern:
      /(?<lead>(?<=(?<![^\r\n])[\w.-]{1,253}:\d{1,4})\d:[^\s:\0]{1,64}:[^\s:\0]{1,64}:)(?<secret>[^\s\0]{8,256})(?=\s|$)/y,
    isSecret: isOdd,
    rest: /(?:)/y,
  }),
  patternRule({
    kind: "password-hash",
    keywords: ["$2a$", "$2b$", "$2x$", "$2y$"],
    pattern: /(?<lead>\$2[abxy]\$\d{2}\$)(?<secret>[./A-Za-z0-9]{53})(?![./A-Za-z0-9])/y,
    isSecret: isHash,
  }),
  patternRule({
    kind: "password-hash",
    keywords: ["$1$", "$5$", "$6$", "$apr1$"],
    pattern:
      /(?<lead>\$(?:1|5|6|apr1)\$(?:rounds=\d{1,9}\$)?)(?<secret>[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86})(?![./A-Za-z0-9])/y,
    isSecret: isHash,
  }),
  patternRule({
    kind: "password-hash",
    keywords: ["$y$"],
    pattern: /(?<lead>\$y\$[./A-Za-z0-9]{1,8}\$)(?<secret>[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43})/y,
    isSecret: isHash,
  }),
  patternRule({
    kind: "password-hash",
    keywords: ["$argon2"],
    pattern:
      /(?<lead>\$argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?[a-z0-9=,]{1,60}\$)(?<secret>[+/A-Za-z0-9]{8,86}\$[+/A-Za-z0-9]{16,172})(?![+/A-Za-z0-9])/y,
    isSecret: isHash,
  }),
  patternRule({
    kind: "password",
    keywords: ["identified "],
    pattern:
      /(?<lead>identified[ \t]{1,3}(?:with[ \t]{1,3}[\w"'`]{1,40}[ \t]{1,3})?(?:by|as)[ \t]{1,3}(?:password[ \t]{1,3})?["'])(?<secret>[^"'\r\n\0]{4,256})/iy,
    isSecret: isPassword,
    rest: /[^"'\r\n\0]*/y,
  }),
  patternRule({
    kind: "password",
    keywords: ["convertto-securestring"],
    pattern:
      /(?<lead>convertto-securestring[ \t]{1,3}(?:-string[ \t]{1,3})?["'])(?<secret>[^"'\r\n\0]{4,256})/iy,
    isSecret: isPassword,
    rest: /[^"'\r\n\0]*/y,
  }),
  patternRule({
    kind: "private-key",
    keywords: ["0x"],
    pattern:
      /(?<=(?:private|priv|secret|deployer|signer|wallet|mnemonic|[^a-z]pk|[^a-z]sk)[\w ."'`:=,()[\]-]{0,24})0x(?<hex>[0-9a-f]{64})(?![0-9a-f])/iy,
    isSecret: isHash,
  }),
  patternRule({
    kind: "encryption-key",
    keywords: ["master.key", "production.key"],
    pattern:
      /(?<lead>(?:master|production)\.key[\s"'`:=>|-]{1,24})(?<secret>[0-9a-f]{32})(?![0-9a-f])/y,
    isSecret: isHash,
  }),
]

/** Next line, or a concatenation of two strings. */
const BREAK =
  /\\?\r?\n[ \t>#*|+-]{0,8}|["'`][ \t]{0,4}[+.&\\]?[ \t]{0,4}(?:\r?\n)?[ \t]{0,24}[+.&]?[ \t]{0,4}["'`]/y
const FRAGMENT = /[A-Za-z0-9+/=_.-]{8,256}(?=["'`\\\s]|$)/y
const MOST_FRAGMENTS = 16

/** A shorter line was not wrapped because of its length. */
const SHORTEST_WRAPPED_CHARACTERS = 40

/** The further parts of a long key that was wrapped or written as several strings. */
export function continuationsOf(
  text: string,
  first: { readonly start: number; readonly end: number },
): readonly { readonly start: number; readonly end: number }[] {
  const parts: { start: number; end: number }[] = []
  let last = first
  while (parts.length < MOST_FRAGMENTS) {
    BREAK.lastIndex = last.end
    const gap = BREAK.exec(text)?.[0]
    if (gap === undefined) return parts
    const isQuoted = /["'`]/.test(gap)
    if (!isQuoted && last.end - last.start < SHORTEST_WRAPPED_CHARACTERS) return parts
    FRAGMENT.lastIndex = last.end + gap.length
    const fragment = FRAGMENT.exec(text)?.[0]
    const isRest = fragment !== undefined && isSecretLike(fragment, { atMostPlain: 0.55 })
    if (!isRest) return parts
    last = { start: last.end + gap.length, end: last.end + gap.length + fragment.length }
    parts.push(last)
  }
  return parts
}
