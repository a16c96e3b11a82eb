import { DEEPEST_ARGUMENT_LEVELS } from "./limits.ts"

/** What stands in place of an argument that may be a secret. */
const REPLACEMENT = "[redacted: argument]"

/** Words that make the name of an option, a variable or a parameter a secret's name. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  (
    "key apikey token secret password passwd passphrase pass pwd pat auth authorization bearer " +
    "header cookie credential credentials private signature sig"
  ).split(" "),
)

/** Options whose value is `NAME=value`: everything behind the sign may be a secret. */
const ASSIGNING = /^(?:-e|--env|--environment|-D|--define|-H|--header)$/

/** A structure with the lists called `args` redacted as arguments, and addresses as addresses. */
export function redactArguments(value: unknown): { value: unknown; replaced: number } {
  let replaced = 0
  const count = (before: string, after: string): string => {
    if (before !== after) replaced++
    return after
  }
  const visit = (inner: unknown, level: number): unknown => {
    if (typeof inner === "string") return count(inner, redactAddress(inner))
    if (typeof inner !== "object" || inner === null || level > DEEPEST_ARGUMENT_LEVELS) return inner
    if (Array.isArray(inner)) return inner.map((it: unknown) => visit(it, level + 1))
    const entries = Object.entries(inner).map(([key, it]) => {
      const list: unknown = it
      const isArguments = /^(?:args|arguments|command)$/i.test(key) && isTextList(list)
      if (!isArguments) return [key, visit(list, level + 1)] as const
      const safe = redactList(list)
      return [key, list.map((text, at) => count(text, safe[at] ?? ""))] as const
    })
    return Object.fromEntries(entries)
  }
  return { value: visit(value, 0), replaced }
}

/** A whole command in one line, as far as spaces can tell its parts. */
export function redactCommand(line: string): string {
  return redactList(line.split(" ")).join(" ")
}

function redactList(parts: readonly string[]): string[] {
  let isSecretNext = false
  let isInHeader = false
  return parts.map((part) => {
    const option = /^(--?[\w-]+)(=[\s\S]*)?$/.exec(part)
    if (option === null) {
      // `-H Authorization: Bearer x` is several parts in a line of words.
      const isHidden = isSecretNext || isInHeader
      isSecretNext = false
      return isHidden && part !== "" ? REPLACEMENT : redactAddress(redactAssignment(part))
    }
    const [, name = "", assigned] = option
    const isSecret = isSecretName(name) || ASSIGNING.test(name)
    isInHeader = /^(?:-H|--header)$/.test(name)
    isSecretNext = isSecret && assigned === undefined
    return isSecret && assigned !== undefined ? `${name}=${REPLACEMENT}` : redactAddress(part)
  })
}

/** `DB_PASSWORD=x` as an argument of its own. */
function redactAssignment(part: string): string {
  const [, name = ""] = /^([A-Za-z_]\w*)=/.exec(part) ?? []
  return isSecretName(name) ? `${name}=${REPLACEMENT}` : part
}

/** `?token=x&key=y`: values of parameters with a secret's name. */
function redactAddress(text: string): string {
  if (!text.includes("=")) return text
  return text.replace(
    /([?&#;])([\w.-]{1,80})=([^&#;\s"']{1,4096})/g,
    (whole, sign: string, name: string) =>
      isSecretName(name) ? `${sign}${name}=${REPLACEMENT}` : whole,
  )
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.some((it) => SECRET_WORDS.has(it) || /(?:key|token|secret|password)$/.test(it))
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((it) => typeof it === "string")
}
