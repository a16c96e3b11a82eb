export type Mention = { readonly slug: string; readonly query: string }

/**
 * The agent a message calls, and the rest of the message as its question. An @ counts at the start
 * or after whitespace, so neither `me@deep-research.org` nor `docs/@deep-research` calls anybody.
 */
export function readMention(message: string, slugs: readonly string[]): Mention | undefined {
  for (const found of message.matchAll(MENTION)) {
    const slug = found[1] ?? ""
    if (!slugs.includes(slug)) continue
    const before = message.slice(0, found.index).trimEnd()
    const after = message.slice(found.index + found[0].length).trimStart()
    return { slug, query: [before, after].filter((it) => it !== "").join(" ") }
  }
  return undefined
}

/** What follows must not go on as a name, a path or an address; its comma or colon goes with it. */
const MENTION = /(?<!\S)@([a-z][a-z0-9-]*)(?![\p{L}\p{N}_@/\\-]|[.:][\p{L}\p{N}/\\])[,:;]?/gu
