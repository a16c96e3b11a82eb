import { formatBytes, formatExact, plural } from "#ground/base"
import type {
  EventsPage,
  eventsOperations,
  StoreBackup,
  StoreCheck,
  StoreRestore,
  StoreStatus,
  storeOperations,
  TokenCount,
  tokensOperations,
} from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { renderBar } from "./bar.ts"
import { listing } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderStatus(status: StoreStatus, { paint, width }: Screen): string {
  const { lastBackup } = status
  const backup =
    lastBackup === null
      ? paint.warn("none; create one with `qm store backup`")
      : `${timeText(lastBackup.at)}, ${formatBytes(lastBackup.sizeBytes)}, ${lastBackup.file}`
  return table(
    [
      ["Store", `${status.dialect}, ${status.location}`],
      ["Size", formatBytes(status.sizeBytes)],
      ["Schema", String(status.schemaVersion)],
      ["Events", formatExact(status.events)],
      ["Epoch", status.epoch],
      ["Backup", backup],
      ["Integrity", status.integrity === "ok" ? "ok" : paint.bad(status.integrity)],
      ...(status.stopped === null ? [] : [["Stopped", paint.bad(status.stopped)]]),
      ...status.corruptFiles.map((file) => ["Damaged", paint.warn(file)]),
    ],
    { width },
  )
}

function renderCheck(check: StoreCheck, { paint }: Screen): string {
  const checked = `${plural(check.checkedEvents, "event")} checked`
  if (check.isSound) return `${paint.ok("ok")}  ${checked}`
  return [...check.findings.map((it) => `${paint.bad("problem")}  ${it}`), "", checked].join("\n")
}

function renderBackup(backup: StoreBackup): string {
  return `Backed up to ${backup.file}, ${formatBytes(backup.sizeBytes)}.`
}

function renderRestore(restored: StoreRestore): string {
  const replaced =
    restored.replaced === null ? "" : `\nThe replaced store is at ${restored.replaced}.`
  return `Restored ${plural(restored.events, "event")} from ${restored.file}.${replaced}`
}

function renderEvents(page: EventsPage, screen: Screen): string {
  const { paint } = screen
  if (page.entries.length === 0) return paint.muted("No events match.")
  const rows = page.entries.map((it) => [
    paint.muted(String(it.seq)),
    paint.muted(timeText(it.at)),
    it.name,
    JSON.stringify(it.body),
  ])
  const shown = `${formatExact(page.entries.length)} of ${plural(page.head.seq, "event")}`
  return `${listing(["Number", "Time (UTC)", "Event", "Data"], rows, screen)}\n\n${paint.muted(shown)}`
}

function timeText(at: number): string {
  return new Date(at).toISOString().replace("T", " ").slice(0, 19)
}

function renderTokens(count: TokenCount, screen: Screen): string {
  const { paint } = screen
  const { files, total, budget } = count
  const rows = [
    ...files.map((it) => ({ ...it, name: it.path ?? "text" })),
    { ...total, name: "total" },
  ]
  const widest = Math.max(...rows.map((it) => formatExact(it.tokens).length))
  const lines = rows.map((it) => [
    formatExact(it.tokens).padStart(Math.max(widest, "Tokens".length)),
    formatBytes(it.bytes),
    sharePartText(it.share),
    it.name,
  ])
  const shown = files.length === 1 ? lines.slice(0, 1) : lines
  const bar = renderBar([{ kind: "files", tokens: total.tokens }], budget, screen)
  const list = listing(["Tokens", "Size", "Share", "File"], shown, screen)
  return [list, "", bar, "", paint.muted(count.meaning)].join("\n")
}

function sharePartText(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

export const eventsRenderers: Renderers<typeof eventsOperations> = {
  list: renderEvents,
}

export const storeRenderers: Renderers<typeof storeOperations> = {
  status: renderStatus,
  check: { text: renderCheck, isGood: (it) => it.isSound },
  backup: renderBackup,
  restore: renderRestore,
}

export const tokensRenderers: Renderers<typeof tokensOperations> = {
  count: renderTokens,
}
