import type { MemoryKind } from "#ground/contract"
import { PROJECT_FOLDER } from "#see/repo"

/** In git, with the project: plain files that people can edit, move and delete. */
export const MEMORY_FOLDER = [PROJECT_FOLDER, "memory"] as const

/** The folders of memories, with the kind of a file that does not say its own. */
export const FOLDER_KINDS: Readonly<Record<string, MemoryKind>> = {
  lessons: "strategy",
  decisions: "decision",
  rules: "rule",
  glossary: "term",
}

/** Where a new memory goes. A file that was moved stays where it is. */
export function folderOf(kind: MemoryKind): string {
  switch (kind) {
    case "strategy":
    case "pitfall":
    case "fix":
      return "lessons"
    case "decision":
      return "decisions"
    case "rule":
      return "rules"
    case "term":
      return "glossary"
    default:
      return kind satisfies never
  }
}

/** A name that says what is in the file, with the last letters of the id, which are chance. */
export function fileNameOf(title: string, id: string): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  const slug = (words ?? []).join("-").slice(0, LONGEST_SLUG_UNITS).replace(/-+$/, "")
  return `${slug === "" ? "memory" : slug}-${id.slice(-NAMED_ID_UNITS)}.md`
}

/** Enough to tell files apart in a list. */
const LONGEST_SLUG_UNITS = 48
const NAMED_ID_UNITS = 6
