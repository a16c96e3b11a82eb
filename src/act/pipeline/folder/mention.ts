export type Mention = { readonly slug: string; readonly query: string }

/**
 * The recipe that a message mentions, and the rest as the question. An @ counts at the start or
 * after whitespace, so `me@deep-research.org` and `docs/@deep-research` mention nothing.
 */
export function readMention(message: string, slugs: readonly string[]): Mention | undefined {
  for (const match of message.matchAll(MENTION)) {
    const slug = match[1] ?? ""
    if (!slugs.includes(slug)) continue
    const before = message.slice(0, match.index).trimEnd()
    const after = message.slice(match.index + match[0].length).trimStart()
    return { slug, query: [before, after].filter((it) => it !== "").join(" ") }
  }
  return undefined
}

/**
 * The name must not continue as a longer name, a path or an address; a following comma or colon is
 * removed with it.
 */
const MENTION = /(?<!\S)@([a-z][a-z0-9-]*)(?![\p{L}\p{N}_@/\\-]|[.:][\p{L}\p{N}/\\])[,:;]?/gu
