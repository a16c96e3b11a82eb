import { globSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { compareText } from "#ground/base"
import { code, pageHead, table } from "./markdown.ts"
import { placeholder } from "./placeholder.ts"

export type DescribedError = {
  readonly file: string
  readonly name: string
  readonly code: string
  readonly formerCode: string | undefined
  readonly family: string
  readonly message: string
  readonly hint: string
}

export async function collectErrors(root: string): Promise<readonly DescribedError[]> {
  const files = globSync("src/**/errors.ts", { cwd: root }).toSorted(compareText)
  const errors: DescribedError[] = []
  for (const file of files) {
    const exports: unknown = await import(pathToFileURL(join(root, file)).href)
    if (typeof exports !== "object" || exports === null) continue
    for (const [name, value] of Object.entries(exports)) {
      if (isErrorFactory(value)) errors.push({ file, name, ...describeError(value) })
    }
  }
  return errors.toSorted((a, b) => compareText(a.code, b.code) || compareText(a.file, b.file))
}

export function errorsPage(errors: readonly DescribedError[]): string {
  const about =
    "Every error of the product. Codes are stable; texts may change. " +
    "‹Names› are placeholders for the error's data."
  const rows = errors.map((it) => [codes(it), it.family, it.message, it.hint])
  return `${pageHead("Errors", about)}\n${table(["Code", "Family", "What it says", "What to do"], rows)}`
}

type Text = (data: unknown) => string
type ErrorFactory = {
  code: string
  text: { family: string; message: Text; hint: Text; formerCode?: string }
}

function codes(error: DescribedError): string {
  if (error.formerCode === undefined) return code(error.code)
  return `${code(error.code)}, formerly ${code(error.formerCode)}`
}

function isErrorFactory(value: unknown): value is ErrorFactory {
  return typeof value === "function" && "code" in value && "text" in value && "is" in value
}

function describeError({ code: errorCode, text }: ErrorFactory) {
  return {
    code: errorCode,
    formerCode: text.formerCode,
    family: text.family,
    message: renderText(text.message),
    hint: renderText(text.hint),
  }
}

/** Numbers are formatted before they are printed, which turns a placeholder into NaN. */
function renderText(text: Text): string {
  return text(placeholder("data")).replace(/NaN(?: (?:[kMG]?B|m?s)\b)?/g, "‹figure›")
}
