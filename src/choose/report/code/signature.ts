/** Pure: the parameters of a signature as the map stores it, in any of its languages. */

export type Parameter = {
  readonly text: string
  readonly name: string
  readonly type: string
  readonly isOptional: boolean
}

const OPEN = "([{<"
const CLOSE = ")]}>"

/** Undefined without a parameter list. */
export function parametersOf(signature: string): readonly Parameter[] | undefined {
  const list = parameterList(signature)
  if (list === undefined) return undefined
  return splitTop(list)
    .map((it) => it.trim())
    .filter((it) => it !== "" && !/^(?:self|cls|&(?:mut )?self|this\b.*)$/.test(it))
    .map(parameterOf)
}

function parameterList(signature: string): string | undefined {
  const start = signature.indexOf("(")
  if (start === -1) return undefined
  let depth = 0
  for (let at = start; at < signature.length; at++) {
    if (signature[at] === "(") depth++
    if (signature[at] === ")" && --depth === 0) return signature.slice(start + 1, at)
  }
  return signature.slice(start + 1)
}

/** At commas outside of any bracket. An arrow's `>` closes nothing. */
function splitTop(list: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < list.length; at++) {
    const character = list[at] ?? ""
    const isArrow = character === ">" && (list[at - 1] === "=" || list[at - 1] === "-")
    if (OPEN.includes(character)) depth++
    else if (CLOSE.includes(character) && !isArrow) depth = Math.max(0, depth - 1)
    else if (character === "," && depth === 0) {
      parts.push(list.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, list.slice(from)]
}

function parameterOf(text: string): Parameter {
  const [before, after] = splitOnce(text, ":")
  const type = after === "" ? text : after
  const hasDefault = /[^=!<>]=[^=>]/.test(text)
  const isRest = /^(?:\.\.\.|\*)/.test(text)
  // PHP writes the type before the name.
  const name = /\$(\w+)/.exec(before)?.[1] ?? /[\w$]+/.exec(before)?.[0] ?? before.trim()
  return {
    text,
    name,
    type: type.trim(),
    isOptional: before.trim().endsWith("?") || hasDefault || isRest,
  }
}

function splitOnce(text: string, at: string): readonly [string, string] {
  const position = text.indexOf(at)
  return position === -1 ? [text, ""] : [text.slice(0, position), text.slice(position + 1)]
}

export function plainSignature(signature: string): string {
  return signature.replace(/\s+/g, " ").trim()
}

/** False if every call of the old signature is also one of the new signature. */
export function isBreakingChange(before: string, after: string): boolean {
  const old = parametersOf(before)
  const now = parametersOf(after)
  if (old === undefined || now === undefined)
    return plainSignature(before) !== plainSignature(after)
  const isSameStart = old.every(
    (it, at) => plainSignature(it.text) === plainSignature(now[at]?.text ?? ""),
  )
  const isAdded = now.slice(old.length).every((it) => it.isOptional)
  const isSameRest = restOf(before, old) === restOf(after, now)
  return !(isSameStart && isAdded && isSameRest)
}

/** Name, modifiers and result: the signature without its parameters. */
function restOf(signature: string, parameters: readonly Parameter[]): string {
  const rest = parameters.reduce((text, it) => text.replace(it.text, ""), signature)
  return rest.replace(/[\s,]+/g, "")
}

type Case = { readonly kind: "happy" | "edge" | "failure"; readonly text: string }

const EDGES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bstring\b|\bstr\b|\bString\b|&str/, ["empty text", "text with characters outside ASCII"]],
  [
    /\bnumber\b|\bint\b|\bfloat\b|\b[iu](?:8|16|32|64)\b|\bf(?:32|64)\b|\bint64\b|\bInteger\b|\bdouble\b/,
    ["0", "a negative number", "the largest number allowed"],
  ],
  [
    /\[\]|\bArray\b|\bReadonlyArray\b|\blist\b|\bList\b|\bVec\b|\bIterable\b/,
    ["no items", "one item", "many items, and the same item twice"],
  ],
  [/\bMap\b|\bdict\b|\bRecord\b|\bHashMap\b|\bSet\b/, ["no entries"]],
  [/\bDate\b|\bdatetime\b|\bInstant\b/, ["the turn of a year, and another time zone"]],
  [/\bboolean\b|\bbool\b/, ["true and false"]],
]

/** The cases that the signature and the body call for; only those that can occur. */
export function casesOf(name: string, signature: string, body: string): readonly Case[] {
  const parameters = parametersOf(signature) ?? []
  const inputs = parameters.map((it) => it.name).join(", ")
  const happy: Case = {
    kind: "happy",
    text: parameters.length === 0 ? `${name}() with its usual state` : `usual ${inputs}`,
  }
  const edges = parameters.flatMap(({ name: parameter, type, isOptional }): readonly Case[] => {
    const values = EDGES.flatMap(([pattern, texts]) => (pattern.test(type) ? texts : []))
    const absent = isOptional ? [`${parameter} absent`] : []
    const nullable = /\b(?:null|undefined|None|Optional|nil)\b|Option</.test(type)
      ? [`${parameter} is null or absent`]
      : []
    return [...values.map((it) => `${parameter}: ${it}`), ...absent, ...nullable].map((text) => ({
      kind: "edge",
      text,
    }))
  })
  return [happy, ...edges, ...failuresOf(signature, body)]
}

function failuresOf(signature: string, body: string): readonly Case[] {
  const failures = [
    ...(/\bthrow\b|\braise\b|\bpanic!?\(|\bErr\(|errors\.New\(/.test(body)
      ? ["the input that makes it fail, with the error it gives"]
      : []),
    ...(/\basync\b|\bPromise\b|\bawait\b|\bFuture\b/.test(`${signature} ${body}`)
      ? ["the awaited call rejects or is cancelled"]
      : []),
    ...(/\bfetch\(|readFile|open\(|\bquery\(|\bexecute\(|\brequests?\./.test(body)
      ? ["the file, network or database it uses is unavailable or slow"]
      : []),
  ]
  return failures.map((text) => ({ kind: "failure", text }))
}
