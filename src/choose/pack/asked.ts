import type { z } from "zod"
import type { ContextPack, OperationName, PackForm, SIGNATURES } from "#ground/contract"
import type { Redact } from "#ground/secrets"
import { safePath } from "./safe.ts"

/** What an operation is asked, its defaults filled in. */
export type Asked<Name extends OperationName> = z.output<(typeof SIGNATURES)[Name]["input"]>

type BuildInput = Asked<"pack.build">

/** What must be in a package: targets, and all that a person chose a form for. */
export function targetsOf(input: BuildInput): readonly string[] {
  const chosen = [input.full, input.symbols, input.signatures, input.mention]
  return [...new Set([...input.target, ...chosen.flat()])]
}

/** Of several forms for one file the one that sends the most counts. */
export function formsOf(
  input: BuildInput,
  pathOf: (written: string) => string | undefined,
): ReadonlyMap<string, PackForm> {
  const all: readonly (readonly [PackForm, readonly string[]])[] = [
    ["path", input.mention],
    ["signatures", input.signatures],
    ["symbols", input.symbols],
    ["full", input.full],
  ]
  return new Map(
    all.flatMap(([form, paths]) =>
      paths.flatMap((it) => pathOf(it) ?? []).map((path) => [path, form] as const),
    ),
  )
}

/** As they are kept with the package: to open it again and change it. */
export function choicesOf(input: BuildInput, redact: Redact): ContextPack["choices"] {
  const safe = (paths: readonly string[]) => paths.map((it) => safePath(it, redact))
  return {
    target: safe(input.target),
    drop: safe(input.drop),
    full: safe(input.full),
    symbols: safe(input.symbols),
    signatures: safe(input.signatures),
    mention: safe(input.mention),
    order: safe(input.order),
  }
}
