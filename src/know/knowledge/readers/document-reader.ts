import { isLongText } from "#ground/base"
import type { PrepareRedaction, Redact } from "#ground/secrets"
import { type CodeReader, readCode } from "./code.ts"
import { type Extraction, readExtracted, textOfLines } from "./document-lines.ts"
import { readDocx } from "./docx/read-docx.ts"
import type { ReadDocument } from "./outline.ts"
import { createPdfReader } from "./pdf/read-pdf.ts"
import { cleanedAgain, type Format, isBinaryFormat, isTextFormat, readDocument } from "./read.ts"

type Outcome =
  | { readonly kind: "read"; readonly document: ReadDocument; readonly note: string | undefined }
  | { readonly kind: "skipped"; readonly reason: string }

export type DocumentReader = AsyncDisposable & {
  read(file: ReadFile, signal: AbortSignal): Promise<Outcome>
}

type ReadFile = { readonly path: string; readonly bytes: Buffer; readonly format: Format }

type ReaderDeps = {
  readonly redact: Redact
  readonly prepare: PrepareRedaction
  readonly code: CodeReader | undefined
}

export function openDocumentReader({ redact, prepare, code }: ReaderDeps): DocumentReader {
  const pdf = createPdfReader()
  async function readSource(path: string, text: string, signal: AbortSignal): Promise<Outcome> {
    const document =
      code === undefined ? undefined : await readCode({ path, text }, { code, redact, signal })
    if (document === undefined) return { kind: "skipped", reason: "no documentation comments" }
    return { kind: "read", document: cleanedAgain(document, redact), note: undefined }
  }
  const extract = async (
    bytes: Buffer,
    format: Format,
    signal: AbortSignal,
  ): Promise<Extraction> => (format === "pdf" ? await pdf.read(bytes, signal) : readDocx(bytes))
  return {
    async read({ path, bytes, format }, signal) {
      if (!isBinaryFormat(format)) {
        const text = bytes.toString("utf8").replace(/^\uFEFF/, "")
        using _ = await prepare(isLongText(text) ? text : "")
        if (!isTextFormat(format)) return await readSource(path, text, signal)
        const read = readDocument(text, format, redact)
        return read.kind === "read" ? { ...read, note: undefined } : read
      }
      const extracted = await extract(bytes, format, signal)
      if (extracted.kind === "skipped") return extracted
      const text = textOfLines(extracted.lines)
      using _ = await prepare(isLongText(text) ? text : "")
      const document = cleanedAgain(readExtracted(extracted, redact), redact)
      return { kind: "read", document, note: extracted.note }
    },
    [Symbol.asyncDispose]: () => pdf[Symbol.asyncDispose](),
  }
}
