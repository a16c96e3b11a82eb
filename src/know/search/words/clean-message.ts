import { LONGEST_TASK_UNITS } from "../limits.ts"

/**
 * Removes addresses, ticket numbers, hashes, trailers and headers of quoted mails. The first
 * remaining line is the subject.
 */
export function cleanMessage(text: string): string {
  const lines = text.slice(0, LONGEST_TASK_UNITS).split(/\r?\n/)
  const isHeader = lines.map((line) => MAIL_HEADER.test(line))
  const cleanLines = lines.flatMap((line, at) => {
    if (at > 0 && TRAILER.test(line)) return []
    const isOfMail = isHeader[at - 1] === true || isHeader[at + 1] === true || line.startsWith(">")
    if (isHeader[at] === true && isOfMail) return MAIL_SUBJECT.exec(line)?.slice(1) ?? []
    if (MAIL_INTRODUCTION.test(line)) return []
    const cleaned = cleanLine(line)
    if (cleaned === line) return [line]
    return LEFTOVER.test(cleaned) ? [] : [cleaned.replace(LOOSE_START, "")]
  })
  const words = cleanLines.join("\n").trim()
  return withoutType(words)
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

/** Fixed prefixes and bounded repetition keep it linear. */
function cleanLine(line: string): string {
  const words = line.replace(ADDRESS, " ").replace(MAIL_ADDRESS, " ")
  // Tickets have digits. Compiling their pattern takes longer than all others.
  const withoutTickets = /\d/.test(words)
    ? words.replace(TICKET_AT_START, "").replace(TICKET, " ")
    : words
  return withoutTickets
    .replace(HASH, (hash) => (isHash(hash) ? " " : hash))
    .replace(EMPTY_BRACKETS, " ")
    .replace(SPACES, " ")
    .trimEnd()
}

const ADDRESS = /\b(?:https?|ftp|ssh|git|file):\/\/[^\s<>"'`)\]}]*/gi
const MAIL_ADDRESS =
  /<?(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.[A-Za-z]{2,24}\b>?/g

const LEADS =
  "(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|ref(?:s|erences?)?|see(?: also)?|related to|part of" +
  "|issues?|bugs?|tickets?|pr|pull request)"
const NUMBER = "(?:(?:[\\w.-]{1,40}/[\\w.-]{1,100})?#\\d{1,10}|GH-\\d{1,10})"

/** `Fixes #12, #13`, `owner/name#12`, `GH-12`; removes the verb with its number. */
const TICKET = new RegExp(
  `(?<![\\w&#/.-])(?:${LEADS}[ :]{1,3})?${NUMBER}(?!\\w)(?:(?:, ?| and )${NUMBER}(?!\\w)){0,50}`,
  "gi",
)

/** `KAFKA-1234: ` and `[ABC-123] `; at least three digits, since UTF-8 and SHA-1 are words. */
const TICKET_AT_START =
  /^[[(]?(?!(?:UTF|SHA|ISO|RFC|CVE)-)[A-Z][A-Z0-9]{1,15}-\d{3,8}(?:[\])]:?|[:;]|(?= ))[ -]{0,3}/

const HASH = /\bI?[0-9a-f]{7,64}\b/g

/** `defaced` is a word, and 1234567 a number. */
function isHash(word: string): boolean {
  return /\d/.test(word) && /[a-f]/.test(word)
}

/** Not the brackets of a call: `round()` marks a function. */
const EMPTY_BRACKETS = /(?<=\s|^)(?:\([ ,;]{0,20}\)|\[[ ,;]{0,20}\]|<[ ]{0,20}>)/g
const LOOSE_START = /^[\s,;:-]{1,40}/
const SPACES = /[ \t]+/g

const TRAILER =
  /^\s{0,8}(?:[a-z]{2,20}(?:-[a-z]{2,20}){0,3}-by|reviewers?|change-id|reviewed-on|commit-queue|cr-commit-position|message-id|git-svn-id|pr-url|differential revision|cc|(?:upstream-)?commit(?:-id)?|\(cherry picked from commit.{0,80}\)$)(?::|$)/i

const MAIL_HEADER =
  /^[> ]{0,20}(?:from|to|cc|bcc|date|sent|subject|reply-to|in-reply-to|references):\s/i
const MAIL_SUBJECT = /^[> ]{0,20}subject:\s(.*)$/i
const MAIL_INTRODUCTION =
  /^[> ]{0,20}(?:On .{1,200} wrote:|-{2,10} ?original message ?-{2,10})\s*$/i

const LEFTOVER =
  /^[\s*>-]{0,20}(?:(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see(?: also)?|link|bug|issue|related(?: to)?|part of|pr|more(?: info(?:rmation)?)?)(?: at| in)?)?[\s:;,.()-]{0,20}$/i

/** Drops the type of a conventional commit and keeps the scope, which says where. */
function withoutType(text: string): string {
  return text.replace(CONVENTIONAL, (_, scope: string | undefined) =>
    scope === undefined ? "" : `${scope}: `,
  )
}

const CONVENTIONAL =
  /^(?:feat|fix|chore|refactor|style|perf|revert)(?:\(([^()\n]{1,100})\))?!?:[ \t]*/i
