import type { ContextPack, PackForm, ParsedInput } from "#ground/contract"
import type { Redact } from "#ground/secrets"
import { safePath } from "./redact.ts"

export type BuildInput = ParsedInput<"pack.build">

export function targetsOf(input: BuildInput): readonly string[] {
  const chosen = [input.full, input.symbols, input.signatures, input.mention]
  return [...new Set([...input.target, ...chosen.flat()])]
}

/** If a file has several forms, the one that sends most wins. */
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
