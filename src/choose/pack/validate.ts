import { invariant } from "#ground/base"
import type { ContextPack, PackFile } from "#ground/contract"
import { sum } from "./fit/budget-board.ts"
import { renderMarkdown } from "./render.ts"

type ValidateDeps = {
  hasFile(path: string, blobId: string): boolean
  count(text: string): number
}

export function validatePack(pack: ContextPack, { hasFile, count }: ValidateDeps): void {
  const { files, budget, manifest } = pack
  const paths = files.map((it) => it.path)
  invariant(new Set(paths).size === paths.length, "a package contains no file twice")
  for (const file of files) {
    invariant(hasFile(file.path, file.blobId), `${file.path} is in the tree with this content`)
    validateFile(file, manifest.fence)
  }
  invariant(
    pack.tokens === sum([...files, ...pack.records].map((it) => it.tokens)),
    "the tokens of a package are the sum of its files and records",
  )
  invariant(
    pack.tokens === sum(manifest.kinds.map((it) => it.tokens)),
    "the tokens of a package are the sum of its kinds",
  )
  invariant(pack.tokens <= budget, "the files and records of a package are within its budget")
  const whole = count(renderMarkdown(pack))
  invariant(whole <= budget, `a package is within its budget of ${budget}, not ${whole}`)
  invariant(pack.isEmpty === (files.length === 0), "a package without files is marked empty")
  invariant(pack.isEmpty === (pack.emptyReason !== null), "an empty package has a reason")
  const left = new Set(pack.left.map((it) => it.path))
  invariant(!paths.some((it) => left.has(it)), "no file is both included and left out")
  invariant(pack.leftCount >= pack.left.length, "at most the left-out files are listed")
}

function validateFile(file: PackFile, fence: string): void {
  const { path, form, pieces } = file
  for (const score of [file.score, file.astScore ?? 0, file.semanticScore ?? 0]) {
    invariant(score >= 0 && score <= 1, `scores of ${path} are from 0 to 1`)
  }
  invariant(
    (form === "path") === (pieces.length === 0),
    `${path} has excerpts unless its form is path`,
  )
  let last = 0
  for (const { fromLine, toLine, text } of pieces) {
    // Signatures may be nested: a class and its methods.
    invariant(fromLine > last || form === "signatures", `excerpts of ${path} are in order`)
    invariant(toLine >= fromLine, `excerpts of ${path} have lines`)
    invariant(!text.includes(fence), `no text of ${path} contains the delimiter`)
    last = toLine
  }
}
