import { formatExact } from "#ground/base"
import type { Config, ContextPack, PackForm, ParsedInput } from "#ground/contract"
import type { Redact } from "#ground/secrets"
import { TargetOutside } from "./errors.ts"
import { LONGEST_TASK_UNITS } from "./limits.ts"
import { roleRule } from "./rank/path-rules.ts"
import { safeLine, safePath } from "./redact.ts"

export type BuildInput = ParsedInput<"pack.build">

/** Reports an unknown role and a target outside the repository before a scan. */
export function checkRequest(input: BuildInput, deps: RequestDeps): void {
  roleRule(deps.config().pack.roles, input.role)
  const outside = targetsOf(input).find((it) => deps.place(it) === undefined)
  if (outside !== undefined) throw TargetOutside({ path: outside })
}

type RequestDeps = {
  config(): Config
  place(path: string): string | undefined
}

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

export function taskWarnings({ task }: BuildInput): readonly string[] {
  if (task.length <= LONGEST_TASK_UNITS) return []
  return [
    `The task is too long; only its first ${formatExact(LONGEST_TASK_UNITS)} characters were used.`,
  ]
}

/** An unknown target is an error; an unknown path in `drop` or `order` is a warning. */
export function unknownPathWarnings(
  input: BuildInput,
  { pathOf, redact }: { pathOf(written: string): string | undefined; readonly redact: Redact },
): readonly string[] {
  const isUnknown = (path: string) => pathOf(path) === undefined
  const shown = (path: string) => safeLine(path, { redact, mostUnits: 200 })
  return [
    ...input.drop.filter(isUnknown).map((it) => `Path to leave out not found: ${shown(it)}.`),
    ...input.order.filter(isUnknown).map((it) => `Path to order not found: ${shown(it)}.`),
  ]
}
