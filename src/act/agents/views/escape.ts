import { visible } from "#ground/base"

/** Text of anyone as text of a page: nothing in it is markup, hides itself or turns a line around. */
export function escapeText(text: string): string {
  return visible(withPlainBreaks(text)).replace(/[&<>"']/g, (it) => ENTITIES[it] ?? it)
}

/** Line breaks of Windows are line breaks, and nothing to be shown. */
export function withPlainBreaks(text: string): string {
  return text.replaceAll("\r\n", "\n")
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** The address of a link, escaped for an attribute; undefined for what a page must not lead to. */
export function linkAddress(given: string): string | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isAllowed = url !== undefined && /^(?:https?|mailto):$/.test(url.protocol)
  return isAllowed ? escapeText(url.href) : undefined
}
