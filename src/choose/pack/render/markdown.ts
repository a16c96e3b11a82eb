import type { ContextPack, PackFile } from "#ground/contract"
import { ended } from "../assemble.ts"
import { headingOf, labelOf } from "./heading.ts"
import { openingOf } from "./opening.ts"

/** The whole package for a model: what it is for, then one block a file. */
export function renderMarkdown(pack: ContextPack): string {
  return [openingOf(pack), ...pack.files.map((it) => blockOf(it, pack.manifest.fence))].join("")
}

/** Heading, pieces with their lines, and the word that closes it. */
function blockOf(file: PackFile, fence: string): string {
  const heading = headingOf(file)
  if (file.pieces.length === 0) return heading
  const isCode = file.form !== "signatures"
  const pieces = file.pieces.map((it) => `${isCode ? labelOf(it) : ""}${ended(it.text)}`)
  // A signature is one line; `ended` would leave an empty one as it is.
  return `${heading}${pieces.join("")}${closingOf(fence)}`
}

export function closingOf(fence: string): string {
  return `${fence}\n`
}
