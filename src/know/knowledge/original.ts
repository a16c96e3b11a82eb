import type { KbOriginal } from "#ground/contract"
import type { Secrets } from "#ground/secrets"
import { readCandidate } from "./add/walk.ts"
import { DocumentUnknown, OriginalChanged, OriginalHasSecrets } from "./errors.ts"
import type { Library } from "./library.ts"
import { isBinaryFormat } from "./readers/read.ts"

/** How `redact` marks a replaced secret. */
const REDACTED = "[redacted: "

/**
 * The file that the paragraphs come from, if it still is the indexed one. Secrets in a text are
 * replaced; a PDF or DOCX file cannot be changed, so one with secrets is refused.
 */
export function readOriginal(
  id: string,
  library: Library,
  { redact }: Pick<Secrets, "redact">,
): KbOriginal {
  const document = library.documents.find((it) => it.id === id)
  if (document === undefined) throw DocumentUnknown({ id })
  const { folder, path, format, digest } = document
  const file = readCandidate(folder, path)
  if (file.kind !== "read" || file.digest !== digest) throw OriginalChanged({ path, folder })
  if (!isBinaryFormat(format)) {
    const { text } = redact(file.bytes.toString("utf8"))
    return { path, format, content: Buffer.from(text).toString("base64") }
  }
  const paragraphs = library.byDocument.get(id) ?? []
  const hasSecrets = paragraphs.some((it) => it.body.text.includes(REDACTED))
  if (hasSecrets) throw OriginalHasSecrets({ path })
  return { path, format, content: file.bytes.toString("base64") }
}
