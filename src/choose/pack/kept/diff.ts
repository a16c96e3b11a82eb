import type { ContextPack, PackDiff, PackFile } from "#ground/contract"
import { summaryOf } from "./kept.ts"

/** What the newer package has that the older had not, and the other way round, by path. */
export function diffPacks(from: ContextPack, to: ContextPack): PackDiff {
  const before = new Map(from.files.map((it) => [it.path, it]))
  const after = new Map(to.files.map((it) => [it.path, it]))
  const paths = [...new Set([...after.keys(), ...before.keys()])]
  return {
    from: summaryOf(from),
    to: summaryOf(to),
    changes: paths.map((path) => changeOf(path, before.get(path), after.get(path))),
  }
}

type FileChange = PackDiff["changes"][number]

function changeOf(
  path: string,
  before: PackFile | undefined,
  after: PackFile | undefined,
): FileChange {
  return {
    path,
    change: kindOf(before, after),
    formBefore: before?.form ?? null,
    formAfter: after?.form ?? null,
    tokensBefore: before?.tokens ?? 0,
    tokensAfter: after?.tokens ?? 0,
    scoreBefore: before?.score ?? null,
    scoreAfter: after?.score ?? null,
  }
}

function kindOf(before: PackFile | undefined, after: PackFile | undefined): FileChange["change"] {
  if (before === undefined) return "added"
  if (after === undefined) return "removed"
  return textOf(before) === textOf(after) ? "same" : "changed"
}

function textOf({ form, pieces }: PackFile): string {
  return JSON.stringify([form, pieces.map((it) => [it.fromLine, it.toLine, it.text])])
}
