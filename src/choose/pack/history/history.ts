import type { ContextPack, PackDiff, PackFile, PackFormat, PackSummaryItem } from "#ground/contract"
import type { Db } from "#ground/store"
import { PackUnknown } from "../errors.ts"
import { LONGEST_SHOWN_TASK_UNITS, MOST_PACKS_KEPT } from "../limits.ts"
import { cleanLine } from "../render.ts"
import {
  BodyRow,
  deleteSurplus,
  insertPack,
  SummaryRow,
  selectBody,
  selectNewestBody,
  selectSentBodies,
  selectSummaries,
} from "./queries.ts"

/** Several repositories may share a database; this reads and writes packages of `root` only. */
export function createHistory(db: Db<"pack">, { root }: { readonly root: string }) {
  return {
    async find(id: string): Promise<ContextPack> {
      const row = await db.get(
        BodyRow,
        id === "last" ? selectNewestBody(root) : selectBody(root, id),
      )
      if (row === undefined) throw PackUnknown({ id })
      return row.body
    },
    list: (limit: number): Promise<PackSummaryItem[]> =>
      db.all(SummaryRow, selectSummaries(root, limit)),
    /** A summary sends no lines, so it is left out. */
    async sentIn(session: string): Promise<readonly ContextPack[]> {
      const query = { root, session, limit: 50 }
      const rows = await db.all(BodyRow, selectSentBodies(query))
      return rows.map((it) => it.body)
    },
    /** `format` is the output format; null is the summary. */
    store: (pack: ContextPack, format: PackFormat | null): Promise<void> =>
      db.transaction(async (tx) => {
        await tx.run(insertPack(summaryOf(pack), { root, format, pack }))
        await tx.run(deleteSurplus(root, MOST_PACKS_KEPT))
        tx.emit("pack.built", { id: pack.id, tokens: pack.tokens, files: pack.files.length })
      }),
  }
}

function summaryOf(pack: ContextPack): PackSummaryItem {
  const { id, role, budget, tokens, session, builtAt } = pack
  const task = cleanLine(pack.task, LONGEST_SHOWN_TASK_UNITS)
  return { id, task, role, budget, tokens, files: pack.files.length, session, builtAt }
}

type Range = { readonly fromLine: number; readonly toLine: number }

export type SentPlace = Range & { readonly path: string; readonly blobId: string }

export function sentBefore(packs: readonly Pick<ContextPack, "files">[]) {
  const rangesByFile = new Map<string, Range[]>()
  for (const file of packs.flatMap((it) => it.files)) {
    // A signature is not the text of its lines.
    if (file.form === "signatures") continue
    const ranges = rangesByFile.get(keyOf(file)) ?? []
    ranges.push(...file.pieces)
    rangesByFile.set(keyOf(file), ranges)
  }
  const joined = new Map([...rangesByFile].map(([key, ranges]) => [key, joinRanges(ranges)]))
  return (lines: SentPlace): boolean =>
    joined
      .get(keyOf(lines))
      ?.some((it) => it.fromLine <= lines.fromLine && it.toLine >= lines.toLine) ?? false
}

/** A copy at another path counts as not sent. */
function keyOf({ path, blobId }: Pick<SentPlace, "path" | "blobId">): string {
  return `${blobId} ${path}`
}

function joinRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: { fromLine: number; toLine: number }[] = []
  for (const { fromLine, toLine } of ranges.toSorted((a, b) => a.fromLine - b.fromLine)) {
    const last = joined.at(-1)
    if (last !== undefined && fromLine <= last.toLine + 1) {
      last.toLine = Math.max(last.toLine, toLine)
    } else joined.push({ fromLine, toLine })
  }
  return joined
}

export function diffPacks(from: ContextPack, to: ContextPack): PackDiff {
  const before = new Map(from.files.map((it) => [it.path, it]))
  const after = new Map(to.files.map((it) => [it.path, it]))
  const paths = [...new Set([...after.keys(), ...before.keys()])]
  return {
    from: summaryOf(from),
    to: summaryOf(to),
    changes: paths.map((path) => changeOf(path, before.get(path), after.get(path))),
    recordsBefore: recordTokens(from),
    recordsAfter: recordTokens(to),
  }
}

function recordTokens({ records }: ContextPack): number {
  return records.reduce((sum, it) => sum + it.tokens, 0)
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
