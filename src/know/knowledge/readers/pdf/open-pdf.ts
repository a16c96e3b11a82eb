import { getDocument, type PDFDocumentProxy, type PDFPageProxy, VerbosityLevel } from "unpdf/pdfjs"
import { MOST_OUTLINE_ENTRIES, MOST_PAGE_ITEMS } from "./limits.ts"
import type { OutlineEntry, PageLine, PageText } from "./page-layout.ts"

export type PdfQuestion =
  | { readonly kind: "open"; readonly bytes: Uint8Array }
  | { readonly kind: "read"; readonly from: number; readonly to: number }

export type PdfAnswer =
  | {
      readonly kind: "opened"
      readonly pages: number
      readonly title: string | undefined
      readonly outline: readonly OutlineEntry[]
    }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "read"; readonly pages: readonly PageText[] }

/** Runs in a thread: a hostile file can take any time and memory. */
export function createPdfSession() {
  let document: PDFDocumentProxy | undefined
  return async (question: PdfQuestion): Promise<PdfAnswer> => {
    if (question.kind === "open") {
      await document?.loadingTask.destroy()
      document = undefined
      try {
        document = await openDocument(question.bytes)
        const { numPages: pages } = document
        const [title, outline] = await Promise.all([titleOf(document), outlineOf(document)])
        return { kind: "opened", pages, title, outline }
      } catch (error) {
        return { kind: "refused", reason: reasonOf(error) }
      }
    }
    const pages: PageText[] = []
    for (let number = question.from; number <= question.to; number++) {
      pages.push(await readPage(document, number))
    }
    return { kind: "read", pages }
  }
}

/** No fonts, images, forms, scripts or requests: only the text layer is read. */
function openDocument(data: Uint8Array): Promise<PDFDocumentProxy> {
  return getDocument({
    data,
    verbosity: VerbosityLevel.ERRORS,
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    stopAtErrors: false,
  }).promise
}

function reasonOf(error: unknown): string {
  const name = error instanceof Error ? error.name : ""
  if (name === "PasswordException") return "encrypted; save a copy without a password and add that"
  return "not a readable PDF; it may be damaged"
}

async function titleOf(document: PDFDocumentProxy): Promise<string | undefined> {
  const info: unknown = (await document.getMetadata().catch(() => undefined))?.info
  const title =
    typeof info === "object" && info !== null && "Title" in info ? info.Title : undefined
  return typeof title === "string" && title.trim() !== "" ? title.trim() : undefined
}

/** The package declares the items below an item as `any`. */
type OutlineItem = { readonly title: string; readonly items: readonly OutlineItem[] }

async function outlineOf(document: PDFDocumentProxy): Promise<readonly OutlineEntry[]> {
  const entries: OutlineEntry[] = []
  const add = (items: readonly OutlineItem[], level: number): void => {
    for (const { title, items: below } of items) {
      if (entries.length >= MOST_OUTLINE_ENTRIES) return
      entries.push({ title, level })
      if (level < 6) add(below, level + 1)
    }
  }
  add((await document.getOutline().catch(() => undefined)) ?? [], 1)
  return entries
}

async function readPage(document: PDFDocumentProxy | undefined, number: number): Promise<PageText> {
  const page = await document?.getPage(number).catch(() => undefined)
  if (page === undefined) return { number, lines: [], isBroken: true }
  try {
    return { number, lines: linesOf((await page.getTextContent()).items), isBroken: false }
  } catch {
    return { number, lines: [], isBroken: true }
  } finally {
    page.cleanup()
  }
}

type Items = Awaited<ReturnType<PDFPageProxy["getTextContent"]>>["items"]

/** Items of one baseline, in the order of the file, which is the reading order in almost all of them. */
function linesOf(items: Items): readonly PageLine[] {
  const lines: PageLine[] = []
  let text = ""
  let at = { x: 0, y: 0, size: 0, end: 0 }
  const flush = (): void => {
    const shown = text.replaceAll(/\s+/g, " ").trim()
    if (shown !== "") lines.push({ text: shown, x: at.x, y: at.y, size: at.size })
    text = ""
  }
  for (const item of items.slice(0, MOST_PAGE_ITEMS)) {
    if (!("str" in item)) continue
    const [, , c = 0, d = 0, x = 0, y = 0] = item.transform.map(Number)
    const size = Math.hypot(c, d)
    if (item.str.trim() !== "") {
      const isSameLine = text !== "" && Math.abs(y - at.y) < Math.max(size, at.size) * 0.6
      if (!isSameLine) {
        flush()
        at = { x, y, size, end: x }
      } else if (x - at.end > size * 0.2 && !text.endsWith(" ")) text += " "
      text += item.str
      at = { ...at, size: Math.max(at.size, size), end: x + item.width }
    } else if (item.str !== "" && text !== "") text += " "
    if (item.hasEOL) flush()
  }
  flush()
  return lines
}
