import { withoutHiddenCharacters } from "#ground/base"
import { type Redact, redactKeepingLines } from "#ground/secrets"
import { createOutline, type ReadDocument } from "./outline.ts"

type DocumentedSymbol = {
  readonly name: string
  readonly parent?: string
  readonly signature: string
  readonly doc?: string
  readonly fromLine: number
}

/** Reads source files; the application passes the map of the repository. */
export type CodeReader = AsyncDisposable & {
  isSource(path: string): boolean
  symbolsOf(
    file: { readonly path: string; readonly text: string },
    signal: AbortSignal,
  ): Promise<readonly DocumentedSymbol[]>
}

type CodeFile = { readonly path: string; readonly text: string }

/** Lines that only separate parts of a file: "# =======". */
const RULER = /[=\-*#~_/+]{5,}/g

/** One paragraph for each symbol with a documentation comment, below the symbol's name. */
export async function readCode(
  { path, text }: CodeFile,
  { code, redact, signal }: { code: CodeReader; redact: Redact; signal: AbortSignal },
): Promise<ReadDocument | undefined> {
  const clean = redactKeepingLines(withoutHiddenCharacters(text.replace(/\r\n?/g, "\n")), redact)
  const symbols = await code.symbolsOf({ path, text: clean }, signal)
  const outline = createOutline()
  let count = 0
  for (const { name, parent, signature, doc, fromLine } of symbols) {
    const comment = doc?.replace(RULER, " ").replace(/\s+/g, " ").trim() ?? ""
    if (comment === "") continue
    count++
    const qualified = parent === undefined ? name : `${parent}.${name}`
    outline.heading(2, qualified)
    outline.anchor(qualified)
    outline.block({ text: `${comment}\n${signature.trim()}`, line: fromLine })
  }
  return count === 0 ? undefined : outline.done({ title: path })
}
