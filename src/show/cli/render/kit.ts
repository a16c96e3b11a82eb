import { formatExact, plural } from "#ground/base"
import {
  type HookState,
  KIT_HOSTS,
  type KitDone,
  type KitLevels,
  type kitOperations,
} from "#ground/contract"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import { rowText, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

/** What is written or would be, file by file, and what is left for a person to do. */
function renderKitDone(done: KitDone, screen: Screen): string {
  const { paint } = screen
  const changed = done.changes.filter((it) => it.action !== "keep")
  const kept = done.changes.length - changed.length
  return [
    paint.bold(headlineOf(done, changed.length)),
    ...(changed.length === 0 ? [] : ["", shownChanges(done.isApplied, changed, screen)]),
    ...(kept === 0 ? [] : ["", paint.muted(`${plural(kept, "file")} as they should be.`)]),
    ...done.warnings.map((it) => `${paint.warn("warn")}  ${rowText(it, 300)}`),
    ...(done.next.length === 0 ? [] : ["", ...done.next.map((it) => `${paint.accent("→")} ${it}`)]),
  ].join("\n")
}

function headlineOf({ level, isApplied }: KitDone, count: number): string {
  const where = level === null ? "Uninstall" : `Level ${level}`
  if (count === 0) return `${where}: nothing to change.`
  return isApplied
    ? `${where}: ${plural(count, "file")} changed.`
    : `${where}: ${plural(count, "file")} would change. Nothing was written.`
}

/** What was shown before it was written is not listed again, file by file. */
function shownChanges(isApplied: boolean, changes: KitDone["changes"], screen: Screen): string {
  if (!isApplied) return changesOf(changes, screen)
  const owners = [...new Set(changes.map((it) => it.host))]
  return table(
    owners.map((host) => {
      const count = changes.filter((it) => it.host === host).length
      return [host ?? "qm and this repository", plural(count, "file")]
    }),
  )
}

function changesOf(changes: KitDone["changes"], { paint, width }: Screen): string {
  return table(
    changes.map((it) => [
      it.action,
      pathEnd(it.path, Math.max(24, width - 44)),
      paint.muted(rowText(it.what, 80)),
    ]),
  )
}

/** Of a long path the end says more than the beginning. */
function pathEnd(path: string, most: number): string {
  const line = rowText(path, path.length)
  return line.length <= most ? line : `…${line.slice(1 - most)}`
}

/** Seven levels, what each adds and what it costs; the one in force is marked. */
function renderLevels({ current, levels, done }: KitLevels, screen: Screen): string {
  const { paint } = screen
  const rows = levels.map((it) => [
    it.level === current ? paint.accent("→") : " ",
    String(it.level),
    `${formatExact(it.startTokens)} tokens`,
    it.toolCallMs === null ? paint.muted("not measured") : `${it.toolCallMs.toFixed(0)} ms an edit`,
    rowText(it.adds, 120),
  ])
  const none = "The kit is not installed here. `qm init` shows what it would write."
  const hint = "`qm level <1-7>` changes it; `qm level --measure` times the hooks on this machine."
  return [
    ...(done === null ? [] : [renderKitDone(done, screen), ""]),
    table(rows),
    "",
    paint.muted(current === null ? none : hint),
  ].join("\n")
}

/** Host by hook; only what was seen to run has fired. */
export function renderHookMatrix(hooks: readonly HookState[], screen: Screen): readonly string[] {
  const { paint } = screen
  if (hooks.length === 0) return []
  const rows = hooks.map((it) => [
    it.host,
    it.hook,
    stateOf(it.state, paint),
    it.at === null ? "" : timeText(it.at),
    paint.muted(rowText(it.why ?? it.event ?? "", Math.max(20, screen.width - 60))),
  ])
  const hosts = KIT_HOSTS.filter((host) => hooks.some((it) => it.host === host))
  return ["", `${paint.bold("Hooks")} ${paint.muted(hosts.join(", "))}`, table(rows)]
}

function stateOf(state: HookState["state"], paint: Screen["paint"]): string {
  switch (state) {
    case "fired":
      return paint.ok(state)
    case "installed":
      return state
    case "not installed":
      return paint.warn(state)
    case "not offered":
      return paint.muted(state)
    default:
      return state satisfies never
  }
}

export const kitRenderers: Renderers<typeof kitOperations> = {
  init: renderKitDone,
  level: renderLevels,
  uninstall: renderKitDone,
}
