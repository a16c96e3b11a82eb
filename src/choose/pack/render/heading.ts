import { visibleLine } from "#ground/base"
import type { PackFile, PackForm } from "#ground/contract"

/** Where a block comes from: path, content, whose words they are, and what of it is here. */
export function headingOf(file: Heading): string {
  const { path, blobId, sentBefore, form } = file
  const what = sentBefore ? "sent before" : FORM_WORDS[form]
  return `## ${visibleLine(path)} (blob ${blobId.slice(0, 7)}, trust project, ${what})\n`
}

export type Heading = Pick<PackFile, "path" | "blobId" | "form" | "sentBefore">

const FORM_WORDS: Readonly<Record<PackForm, string>> = {
  full: "whole",
  symbols: "parts",
  signatures: "signatures",
  path: "path only",
}

/** Before each piece of a text: its lines. */
export function labelOf({ fromLine, toLine }: { fromLine: number; toLine: number }): string {
  return `@@ ${fromLine}-${toLine}\n`
}
