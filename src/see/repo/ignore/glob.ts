/**
 * Patterns of git's ignore files, matched byte by byte: a text here has one character per UTF-8
 * byte. No regular expression is built, because a hostile pattern could make it run forever: the
 * work is at most pattern length × text length.
 */
export type Glob = {
  /** Everything before the first special character; most patterns have nothing else. */
  readonly prefix: string
  readonly tokens: readonly Token[] | undefined
}

type Token =
  | { readonly kind: "byte"; readonly byte: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | { readonly kind: "everything" }
  /** Matches nothing, and then the next token is skipped too, or the beginning of that one. */
  | { readonly kind: "folders" }
  /** A run that ends with a slash. */
  | { readonly kind: "folder-run" }
  | { readonly kind: "class"; readonly isNegated: boolean; readonly bytes: ReadonlySet<string> }

export function bytesOf(text: string): string {
  return BEYOND_ASCII.test(text) ? Buffer.from(text).toString("latin1") : text
}

const BEYOND_ASCII = /[^\x00-\x7f]/

export function parseGlob(pattern: string): Glob {
  const special = pattern.search(/[*?[\\]/)
  if (special === -1) return { prefix: pattern, tokens: [] }
  // Git removes the prefix before it looks at stars, so stars directly after it count as the start
  // of the pattern; so do we.
  return { prefix: pattern.slice(0, special), tokens: tokensOf(pattern.slice(special)) }
}

/** Counts the cost of matching: the rules of a hostile repository could take hours. */
export type Effort = { steps: number }

export function matchesGlob({ prefix, tokens }: Glob, text: string, effort: Effort): boolean {
  effort.steps++
  if (tokens === undefined || !text.startsWith(prefix)) return false
  if (tokens.length === 0) return text.length === prefix.length
  const rest = text.slice(prefix.length)
  return mayEndSo(tokens, rest) && matchesTokens(tokens, rest, effort)
}

/**
 * Compares from the end up to the last run of bytes: most names fail a pattern like `*.log` there.
 */
function mayEndSo(tokens: readonly Token[], text: string): boolean {
  let left = text.length
  for (let at = tokens.length - 1; at >= 0; at--) {
    const matches = oneByte(tokens[at], text.charAt(--left))
    if (matches === undefined) return true
    if (!matches || left < 0) return false
  }
  return true
}

function oneByte(token: Token | undefined, byte: string): boolean | undefined {
  if (token?.kind === "byte") return token.byte === byte
  if (token?.kind === "any") return byte !== "/"
  if (token?.kind === "class") return byte !== "/" && token.bytes.has(byte) !== token.isNegated
  return undefined
}

function tokensOf(pattern: string): readonly Token[] | undefined {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; ) {
    const read = readToken(pattern, at)
    if (read === undefined) return undefined
    tokens.push(read.token)
    if (read.token.kind === "folders") tokens.push({ kind: "folder-run" })
    at = read.next
  }
  return tokens
}

type TokenRead = { readonly token: Token; readonly next: number }

function readToken(pattern: string, at: number): TokenRead | undefined {
  const byte = pattern.charAt(at)
  switch (byte) {
    case "*":
      return readStars(pattern, at)
    case "?":
      return { token: { kind: "any" }, next: at + 1 }
    case "[":
      return readClass(pattern, at)
    case "\\":
      // A trailing backslash matches only the end of the text, and no byte does.
      if (at + 1 === pattern.length) return undefined
      return { token: { kind: "byte", byte: pattern.charAt(at + 1) }, next: at + 2 }
    default:
      return { token: { kind: "byte", byte }, next: at + 1 }
  }
}

/** Two stars mean more than one only where they fill the space between slashes. */
function readStars(pattern: string, at: number): TokenRead {
  let end = at
  while (pattern.charAt(end) === "*") end++
  const isAlone = end - at === 1
  const beginsPart = at === 0 || pattern.charAt(at - 1) === "/"
  const rest = pattern.slice(end, end + 2)
  if (isAlone || !beginsPart) return { token: { kind: "star" }, next: end }
  if (rest === "") return { token: { kind: "everything" }, next: end }
  if (rest.startsWith("/")) return { token: { kind: "folders" }, next: end + 1 }
  // An escaped slash also ends the part, but is not consumed with the stars.
  return { token: { kind: rest === "\\/" ? "everything" : "star" }, next: end }
}

function readClass(pattern: string, open: number): TokenRead | undefined {
  const isNegated = pattern.charAt(open + 1) === "!" || pattern.charAt(open + 1) === "^"
  const first = open + (isNegated ? 2 : 1)
  const bytes = new Set<string>()
  let before: string | undefined
  for (let at = first; at < pattern.length; ) {
    const byte = pattern.charAt(at)
    if (byte === "]" && at > first) {
      return { token: { kind: "class", isNegated, bytes }, next: at + 1 }
    }
    const part = readClassPart({ pattern, at, before })
    if (part === undefined) return undefined
    for (const it of part.bytes) bytes.add(it)
    before = part.last
    at = part.next
  }
  return undefined
}

type ClassPart = {
  readonly bytes: readonly string[]
  readonly last: string | undefined
  readonly next: number
}

type ClassPlace = {
  readonly pattern: string
  readonly at: number
  readonly before: string | undefined
}

function readClassPart({ pattern, at, before }: ClassPlace): ClassPart | undefined {
  const byte = pattern.charAt(at)
  const following = pattern.charAt(at + 1)
  if (byte === "\\") {
    return following === "" ? undefined : { bytes: [following], last: following, next: at + 2 }
  }
  if (byte === "-" && before !== undefined && following !== "" && following !== "]") {
    return readRange(pattern, at, before)
  }
  if (byte === "[" && following === ":") return readNamedClass(pattern, at)
  return { bytes: [byte], last: byte, next: at + 1 }
}

function readRange(pattern: string, at: number, from: string): ClassPart | undefined {
  const isEscaped = pattern.charAt(at + 1) === "\\"
  const to = pattern.charAt(isEscaped ? at + 2 : at + 1)
  if (to === "") return undefined
  const count = Math.max(0, to.charCodeAt(0) - from.charCodeAt(0) + 1)
  const bytes = Array.from({ length: count }, (_, i) => String.fromCharCode(from.charCodeAt(0) + i))
  return { bytes, last: undefined, next: at + (isEscaped ? 3 : 2) }
}

function readNamedClass(pattern: string, at: number): ClassPart | undefined {
  const close = pattern.indexOf("]", at + 2)
  if (close === -1) return undefined
  // Without a colon before the bracket it is not a named class: the bracket is an ordinary byte.
  if (pattern.charAt(close - 1) !== ":" || close - 1 < at + 2) {
    return { bytes: ["["], last: "[", next: at + 1 }
  }
  const members = NAMED_CLASSES.get(pattern.slice(at + 2, close - 1))
  return members === undefined ? undefined : { bytes: members, last: undefined, next: close + 1 }
}

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))

const NAMED_CLASSES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    alnum: /[a-z0-9]/i,
    alpha: /[a-z]/i,
    blank: /[ \t]/,
    cntrl: /[\x00-\x1f\x7f]/,
    digit: /\d/,
    graph: /[\x21-\x7e]/,
    lower: /[a-z]/,
    print: /[\x20-\x7e]/,
    punct: /[!-/:-@[-`{-~]/,
    space: /[ \t\n\v\f\r]/,
    upper: /[A-Z]/,
    xdigit: /[\da-f]/i,
  }).map(([name, pattern]) => [name, ASCII.filter((it) => pattern.test(it))]),
)

/** Tracks all pattern positions that the text so far can lead to, byte by byte. */
function matchesTokens(tokens: readonly Token[], text: string, effort: Effort): boolean {
  let places = new Uint8Array(tokens.length + 1)
  let following = new Uint8Array(tokens.length + 1)
  places[0] = 1
  skipEmpty(tokens, places)
  for (const byte of text) {
    following.fill(0)
    const isAlive = stepAll(tokens, { places, following, byte })
    effort.steps += tokens.length
    if (!isAlive) return false
    skipEmpty(tokens, following)
    const spent = places
    places = following
    following = spent
  }
  return places[tokens.length] === 1
}

type Step = {
  readonly places: Uint8Array
  readonly following: Uint8Array
  readonly byte: string
}

function stepAll(tokens: readonly Token[], { places, following, byte }: Step): boolean {
  let isAlive = false
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    if (places[at] !== 1 || token === undefined) continue
    step(following, { token, at, byte })
    isAlive ||= following[at] === 1 || following[at + 1] === 1
  }
  return isAlive
}

function skipEmpty(tokens: readonly Token[], places: Uint8Array): void {
  for (let at = 0; at < tokens.length; at++) {
    const kind = tokens[at]?.kind
    if (places[at] !== 1) continue
    const mayBeEmpty = kind === "star" || kind === "everything" || kind === "folders"
    if (mayBeEmpty) places[at + 1] = 1
    if (kind === "folders") places[at + 2] = 1
  }
}

function step(
  following: Uint8Array,
  { token, at, byte }: { readonly token: Token; readonly at: number; readonly byte: string },
): void {
  const isSlash = byte === "/"
  switch (token.kind) {
    case "byte":
    case "any":
    case "class":
      if (oneByte(token, byte) === true) following[at + 1] = 1
      return
    case "star":
      if (!isSlash) following[at] = 1
      return
    case "everything":
      following[at] = 1
      return
    case "folders":
      return
    case "folder-run":
      following[at] = 1
      if (isSlash) following[at + 1] = 1
      return
    default:
      token satisfies never
  }
}
