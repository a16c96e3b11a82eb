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
  readonly family: string
  readonly message: string
  readonly hint: string
}

export async function collectErrors(root: string): Promise<readonly DescribedError[]> {
  const files = globSync("src/**/errors.ts", { cwd: root }).toSorted(compareText)
  const found: DescribedError[] = []
  for (const file of files) {
    const exports: unknown = await import(pathToFileURL(join(root, file)).href)
    if (typeof exports !== "object" || exports === null) continue
    for (const [name, value] of Object.entries(exports)) {
      if (isErrorFactory(value)) found.push({ file, name, ...describeError(value) })
    }
  }
  return found.toSorted((a, b) => compareText(a.code, b.code) || compareText(a.file, b.file))
}

export function errorsPage(errors: readonly DescribedError[]): string {
  const about =
    "Every error of the product. Codes are stable; texts may change. " +
    "‹Names› are placeholders for the error's data."
  const rows = errors.map((it) => [code(it.code), it.family, it.message, it.hint])
  return `${pageHead("Errors", about)}\n${table(["Code", "Family", "What it says", "What to do"], rows)}`
}

type Text = (data: unknown) => string
type ErrorFactory = { code: string; text: { family: string; message: Text; hint: Text } }

function isErrorFactory(value: unknown): value is ErrorFactory {
  return typeof value === "function" && "code" in value && "text" in value && "is" in value
}

function describeError({ code: errorCode, text }: ErrorFactory) {
  return {
    code: errorCode,
    family: text.family,
    message: renderText(text.message),
    hint: renderText(text.hint),
  }
}

/** Numbers are formatted before they are printed, which turns a placeholder into NaN. */
function renderText(text: Text): string {
  return text(placeholder("data")).replace(/NaN(?: (?:[kMG]?B|m?s)\b)?/g, "‹figure›")
}
