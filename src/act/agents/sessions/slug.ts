import { LONGEST_SLUG_CHARACTERS } from "./limits.ts"

/**
 * The folder of a session: words of its title for people, its id for us. Lower case, digits and
 * hyphens, and never a reserved name, so that it is the same folder on every file system.
 */
export function slugOf(run: { readonly id: string; readonly title: string }): string {
  const plain = run.title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
  const words = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "")
  const short = words.slice(0, LONGEST_SLUG_CHARACTERS).replace(/-+$/, "")
  return `${short === "" ? "session" : short}${SEPARATOR}${safeId(run.id)}`
}

/** It never stands in the words of a title, so the id can be told from them. */
const SEPARATOR = "--"

/** The id in a folder's name; undefined for a folder that is not ours. */
export function idInSlug(slug: string): string | undefined {
  const at = slug.lastIndexOf(SEPARATOR)
  const id = at < 1 ? "" : slug.slice(at + SEPARATOR.length)
  return id !== "" && id === safeId(id) ? id : undefined
}

/** Our ids are as they should be; one from elsewhere must not become a path. */
function safeId(id: string): string {
  return id.replace(/[^A-Za-z0-9_]/g, "_")
}
