import { createThread, formatExact, plural, type ThreadAnswer, threadModule } from "#ground/base"
import type { Extraction } from "../document-lines.ts"
import { LONGEST_SILENCE_MS, MOST_PAGES, PAGES_A_QUESTION, THREAD_HEAP_MB } from "./limits.ts"
import type { PdfAnswer, PdfQuestion } from "./open-pdf.ts"
import { layoutPages, type PageText } from "./page-layout.ts"

const PDF_THREAD = threadModule("know/knowledge/readers/pdf/thread/main")

export type PdfReader = AsyncDisposable & {
  read(bytes: Uint8Array, signal: AbortSignal): Promise<Extraction>
}

type PdfReaderOptions = { readonly longestSilenceMs?: number; readonly heapMb?: number }

/** One thread for all files of an `add`; it starts with the first PDF. */
export function createPdfReader(options: PdfReaderOptions = {}): PdfReader {
  const thread = createThread<PdfQuestion, PdfAnswer>({
    entry: PDF_THREAD,
    heapMb: options.heapMb ?? THREAD_HEAP_MB,
    longestSilenceMs: options.longestSilenceMs ?? LONGEST_SILENCE_MS,
  })
  return {
    async read(bytes, signal) {
      const opened = await thread.ask({ kind: "open", bytes })
      if (opened.kind !== "answered") return { kind: "skipped", reason: failureOf(opened) }
      const answer = opened.answer
      if (answer.kind === "refused") return { kind: "skipped", reason: answer.reason }
      if (answer.kind !== "opened") return { kind: "skipped", reason: "not a readable PDF" }
      const last = Math.min(answer.pages, MOST_PAGES)
      const pages: PageText[] = []
      for (let from = 1; from <= last; from += PAGES_A_QUESTION) {
        signal.throwIfAborted()
        const to = Math.min(from + PAGES_A_QUESTION - 1, last)
        const read = await thread.ask({ kind: "read", from, to })
        if (read.kind !== "answered" || read.answer.kind !== "read") break
        pages.push(...read.answer.pages)
      }
      return extractionOf(pages, answer)
    },
    [Symbol.asyncDispose]: () => thread.end(),
  }
}

function failureOf(answer: Exclude<ThreadAnswer<PdfAnswer>, { kind: "answered" }>): string {
  switch (answer.kind) {
    case "silent":
      return `a PDF that takes longer than ${LONGEST_SILENCE_MS / 1_000} s to open`
    case "died":
      return `a PDF that needs more than ${THREAD_HEAP_MB} MB of memory`
    case "failed":
    case "not-started":
      return `the PDF reader failed: ${answer.reason}`
    default:
      return answer satisfies never
  }
}

type Opened = Extract<PdfAnswer, { kind: "opened" }>

function extractionOf(pages: readonly PageText[], opened: Opened): Extraction {
  const lines = layoutPages(pages, opened.outline)
  const empty = pages.filter((it) => it.lines.length === 0).map((it) => it.number)
  if (lines.length === 0) {
    const isUnread = pages.every((it) => it.isBroken)
    const reason = isUnread
      ? "not a readable PDF; it may be damaged"
      : `${plural(opened.pages, "page")} without text, probably scanned; add a copy with recognised text`
    return { kind: "skipped", reason }
  }
  const notes = [
    pages.length < opened.pages
      ? `only ${formatExact(pages.length)} of its ${formatExact(opened.pages)} pages were read`
      : "",
    empty.length > 0
      ? `${pagesText(empty)} without text, probably scanned; the other pages were read`
      : "",
  ].filter((it) => it !== "")
  const note = notes.length === 0 ? undefined : notes.join("; ")
  return { kind: "extracted", title: usableTitle(opened.title), lines, note }
}

const MOST_PAGES_NAMED = 8

function pagesText(numbers: readonly number[]): string {
  const [first = 0] = numbers
  if (numbers.length === 1) return `page ${first}`
  const named = numbers.slice(0, MOST_PAGES_NAMED).join(", ")
  const more = numbers.length - MOST_PAGES_NAMED
  return more > 0 ? `pages ${named} and ${more} more` : `pages ${named}`
}

/** Programs write their file name or nothing useful into this field. */
function usableTitle(title: string | undefined): string | undefined {
  const isFileName = /\.(?:docx?|pdf|indd|tex|rtf|odt|xlsx?|pptx?)$|^(?:microsoft word|untitled)/i
  return title === undefined || isFileName.test(title) ? undefined : title
}
