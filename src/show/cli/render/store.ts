import { formatBytes, formatExact, plural } from "#ground/base"
import {
  type EventsPage,
  type StoreBackup,
  type StoreCheck,
  type StoreRestore,
  type StoreStatus,
} from "#ground/contract"
import { type Screen, table } from "../screen.ts"

export function renderStatus(status: StoreStatus, { paint }: Screen): string {
  const { lastBackup } = status
  const backup =
    lastBackup === null
      ? paint.warn("none yet; `qm store backup` makes one")
      : `${sayTime(lastBackup.at)}, ${formatBytes(lastBackup.sizeBytes)}, ${lastBackup.file}`
  return table([
    ["Store", `${status.dialect}, ${status.location}`],
    ["Size", formatBytes(status.sizeBytes)],
    ["Schema", String(status.schemaVersion)],
    ["Events", formatExact(status.events)],
    ["Epoch", status.epoch],
    ["Backup", backup],
    ["Integrity", status.integrity === "ok" ? "ok" : paint.bad(status.integrity)],
    ...(status.stopped === null ? [] : [["Stopped", paint.bad(status.stopped)]]),
    ...status.corruptFiles.map((file) => ["Damaged", paint.warn(file)]),
  ])
}

export function renderCheck(check: StoreCheck, { paint }: Screen): string {
  const checked = `${plural(check.checkedEvents, "event")} compared`
  if (check.isSound) return `${paint.ok("sound")}  ${checked}`
  return [...check.findings.map((it) => `${paint.bad("found")}  ${it}`), "", checked].join("\n")
}

export function renderBackup(backup: StoreBackup): string {
  return `Backed up to ${backup.file}, ${formatBytes(backup.sizeBytes)}.`
}

export function renderRestore(restored: StoreRestore): string {
  const kept =
    restored.replaced === null ? "" : `\nThe store of before lies at ${restored.replaced}.`
  return `Restored ${plural(restored.events, "event")} from ${restored.file}.${kept}`
}

export function renderEvents(page: EventsPage, { paint }: Screen): string {
  if (page.entries.length === 0) return paint.muted("Nothing has happened here yet.")
  const rows = page.entries.map((it) => [
    paint.muted(String(it.seq)),
    paint.muted(sayTime(it.at)),
    it.name,
    JSON.stringify(it.body),
  ])
  const shown = `${formatExact(page.entries.length)} of ${plural(page.head.seq, "event")}`
  return `${table(rows)}\n\n${paint.muted(shown)}`
}

function sayTime(at: number): string {
  return new Date(at).toISOString().replace("T", " ").slice(0, 19)
}
