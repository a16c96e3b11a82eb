import { formatBytes, plural } from "#ground/base"
import { type Now } from "#ground/contract"
import { type Screen, table } from "../screen.ts"

export function renderNow(now: Now, { paint }: Screen): string {
  const { repository, health, store } = now
  const branch = repository.branch ?? "no branch"
  const verdict = health.isHealthy
    ? paint.ok("healthy")
    : paint.bad(`${plural(health.failed, "check")} failed; \`qm doctor\` says which`)
  const warned = health.warnings === 0 ? "" : `, ${plural(health.warnings, "warning")}`
  const kept =
    store === null
      ? paint.bad("cannot be opened")
      : `${store.dialect}, ${plural(store.events, "event")}, ${formatBytes(store.sizeBytes)}`
  return table([
    ["Repository", `${repository.name}, ${branch}`],
    ["Health", `${verdict}${warned}`],
    ["Store", kept],
    ["Waiting", sayCount(now.waiting.length)],
    ["Running", sayCount(now.running.length)],
  ])
}

function sayCount(count: number): string {
  return count === 0 ? "nothing" : String(count)
}
