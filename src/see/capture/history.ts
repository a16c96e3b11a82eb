import { createHash } from "node:crypto"
import type {
  CaptureDiff,
  CaptureSummary,
  CaptureText,
  Manifest,
  Observation,
} from "#ground/contract"
import type { Db } from "#ground/store"
import { diffCaptures, type Side } from "./compare/diff.ts"
import type { EarlierCounts } from "./count.ts"
import { CaptureUnknown } from "./errors.ts"
import {
  CountsRow,
  deleteSurplus,
  deleteSurplusPages,
  deleteUnusedTexts,
  FingerprintRow,
  insertCapture,
  insertPage,
  insertText,
  ManifestRow,
  markSeen,
  ObservationRow,
  SummaryRow,
  selectBefore,
  selectManifest,
  selectNewestFingerprint,
  selectNewestManifest,
  selectObservation,
  selectSummaries,
  selectSummary,
  selectText,
  selectTexts,
  setLastRun,
  setObservation,
  TextRow,
} from "./queries.ts"

/** Per directory and host; with one change a day this is more than half a year. */
export const MOST_CAPTURES_KEPT = 200

type SavedCapture = { readonly id: string; readonly isNew: boolean }

export type History = ReturnType<typeof createHistory>

export function createHistory(db: Db<"capture">) {
  const find = async (id: string, here: Partial<HistoryFilter>): Promise<CaptureSummary> => {
    const isNewest = id === "last"
    const query = isNewest ? selectSummaries({ ...ANYWHERE, ...here }, 1) : selectSummary(id)
    const row = await db.get(SummaryRow, query)
    if (row === undefined) throw CaptureUnknown({ id })
    return row
  }
  const manifest = async (id: string): Promise<Manifest> => {
    const row = await db.get(ManifestRow, selectManifest(id))
    if (row === undefined) throw CaptureUnknown({ id })
    return row.manifest
  }
  const texts = async (id: string): Promise<CaptureText[]> =>
    (await db.all(TextRow, selectTexts(id))).map((it) => it.body)
  const side = async (id: string): Promise<Side> => {
    const textByPath = new Map((await texts(id)).map((it) => [it.path, it]))
    return { items: (await manifest(id)).items, textOf: (path) => textByPath.get(path) }
  }
  return {
    async counts(where: HistoryFilter): Promise<EarlierCounts | undefined> {
      return (await db.get(CountsRow, selectNewestManifest(where)))?.manifest
    },
    find,
    manifest,
    texts,
    side,
    keep: (entry: Entry): Promise<SavedCapture> => db.transaction((tx) => keep(tx, entry)),
    list: (where: Partial<HistoryFilter>, limit: number): Promise<CaptureSummary[]> =>
      db.all(SummaryRow, selectSummaries({ ...ANYWHERE, ...where }, limit)),
    async setLastRun(id: string, run: string): Promise<void> {
      await db.run(setLastRun(id, run))
    },
    before: (it: CaptureSummary): Promise<CaptureSummary | undefined> =>
      db.get(SummaryRow, selectBefore(it)),
    async text(id: string, path: string): Promise<CaptureText | undefined> {
      return (await db.get(TextRow, selectText(id, path)))?.body
    },
    async observation(id: string): Promise<Observation | undefined> {
      return (await db.get(ObservationRow, selectObservation(id)))?.observation ?? undefined
    },
    async compare(from: CaptureSummary, to: CaptureSummary): Promise<CaptureDiff> {
      const changes = diffCaptures(await side(from.id), await side(to.id))
      const [tokensBefore, tokensAfter] = [from.tokensInWindow, to.tokensInWindow]
      return { from, to, changes, tokensBefore, tokensAfter }
    },
  }
}

type HistoryFilter = {
  readonly workingDirectory: string | undefined
  readonly host: string | undefined
}
const ANYWHERE: HistoryFilter = { workingDirectory: undefined, host: undefined }

type Entry = {
  readonly manifest: Manifest
  readonly fingerprint: string
  readonly texts: readonly CaptureText[]
  readonly observation: Observation | null
}

type Transaction = Parameters<Parameters<Db<"capture">["transaction"]>[0]>[0]

async function keep(tx: Transaction, entry: Entry): Promise<SavedCapture> {
  const { manifest, fingerprint, texts, observation } = entry
  const { id, host, workingDirectory, capturedAt } = manifest
  const where = { workingDirectory, host }
  const newest = await tx.get(FingerprintRow, selectNewestFingerprint(where))
  if (newest?.fingerprint === fingerprint) {
    await tx.run(markSeen(newest.id, capturedAt))
    if (observation !== null) await tx.run(setObservation(newest.id, observation))
    return { id: newest.id, isNew: false }
  }
  await tx.run(insertCapture(manifest, fingerprint))
  if (observation !== null) await tx.run(setObservation(id, observation))
  for (const text of texts) {
    const hash = createHash("sha256").update(JSON.stringify(text)).digest("hex")
    await tx.run(insertText(hash, text))
    await tx.run(insertPage({ id, path: text.path, hash }))
  }
  await tx.run(deleteSurplusPages(where, MOST_CAPTURES_KEPT))
  const { changes } = await tx.run(deleteSurplus(where, MOST_CAPTURES_KEPT))
  if (changes > 0) await tx.run(deleteUnusedTexts())
  const { files, tokensInWindow } = manifest.totals
  tx.emit("capture.taken", { id, host, workingDirectory, files, tokensInWindow })
  return { id, isNew: true }
}
