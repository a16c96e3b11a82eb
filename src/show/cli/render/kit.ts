import { formatExact, plural } from "#ground/base"
import {
  type DefinitionCheck,
  type DefinitionText,
  type DiagramCheck,
  type ForgedDefinition,
  type forgeOperations,
  type HookState,
  KIT_HOSTS,
  type KitDone,
  type KitLevels,
  type KitPacks,
  type kitOperations,
  type packsOperations,
} from "#ground/contract"
import { table } from "../terminal/layout.ts"
import type { Screen } from "../terminal/screen.ts"
import { listing, rowText, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderKitDone(done: KitDone, screen: Screen): string {
  const { paint } = screen
  const changed = done.changes.filter((it) => it.action !== "keep")
  const unchanged = done.changes.length - changed.length
  return [
    paint.bold(headlineOf(done, changed.length)),
    ...(changed.length === 0 ? [] : ["", shownChanges(done.isApplied, changed, screen)]),
    ...(unchanged === 0 ? [] : ["", paint.muted(`${plural(unchanged, "file")} up to date.`)]),
    ...done.warnings.map((it) => `${paint.warn("warn")}  ${rowText(it)}`),
    ...(done.next.length === 0 ? [] : ["", ...done.next.map((it) => `${paint.accent("→")} ${it}`)]),
  ].join("\n")
}

function headlineOf({ level, isApplied }: KitDone, count: number): string {
  const where = level === null ? "Uninstall" : `Level ${level}`
  if (count === 0) return `${where}: nothing to change.`
  return isApplied
    ? `${where}: ${plural(count, "file")} changed.`
    : `${where}: plan for ${plural(count, "file")}. Nothing is written yet.`
}

/** After `--yes` only counts: the plan was shown before. */
function shownChanges(isApplied: boolean, changes: KitDone["changes"], screen: Screen): string {
  if (!isApplied) return changesOf(changes, screen)
  const owners = [...new Set(changes.map((it) => it.host))]
  return table(
    owners.map((host) => {
      const count = changes.filter((it) => it.host === host).length
      return [host ?? "qm and this repository", plural(count, "file")]
    }),
    screen,
  )
}

function changesOf(changes: KitDone["changes"], screen: Screen): string {
  const { paint, width } = screen
  return listing(
    ["Change", "File", "What"],
    changes.map((it) => [
      it.action,
      pathEnd(it.path, Math.max(24, width - 44)),
      paint.muted(rowText(it.what)),
    ]),
    screen,
  )
}

function pathEnd(path: string, most: number): string {
  const line = rowText(path)
  return line.length <= most ? line : `…${line.slice(1 - most)}`
}

function renderLevels({ current, levels, done }: KitLevels, screen: Screen): string {
  const { paint } = screen
  const rows = levels.map((it) => [
    it.level === current ? paint.accent("→") : " ",
    String(it.level),
    `${formatExact(it.startTokens)} tokens`,
    it.toolCallMs === null ? paint.muted("not measured") : `${it.toolCallMs.toFixed(0)} ms`,
    rowText(addsOf(it)),
  ])
  const none = "The kit is not installed here. See the plan with `qm init`."
  const hint =
    "Change it with `qm level 3`, for example. Measure the hooks with `qm level --measure`."
  return [
    ...(done === null ? [] : [renderKitDone(done, screen), ""]),
    listing(["", "Level", "At start", "Per edit", "Adds"], rows, screen),
    "",
    paint.muted(current === null ? none : hint),
  ].join("\n")
}

function addsOf({ adds, installs }: KitLevels["levels"][number]): string {
  return installs.length === 0 ? adds : `${adds} (${installs.join(", ")})`
}

const MOST_PACK_ROWS = 60

function renderPacks({ level, packs, startTokens }: KitPacks, screen: Screen): string {
  const { paint } = screen
  const rows = packs.map((it) => [
    it.name,
    it.state === "installed" ? paint.ok(it.state) : it.state,
    `from ${it.level}`,
    `${formatExact(it.tokens)} of ${formatExact(it.allTokens)}`,
    rowText(it.items.map((item) => item.name).join(", ")),
  ])
  const head =
    level === null
      ? "The kit is not installed here."
      : `Level ${level}: ${plural(startTokens, "token")} at start for names and descriptions`
  return [
    paint.bold(head),
    listing(
      ["Pack", "State", "Level", "Tokens", "Contents"],
      rows.slice(0, MOST_PACK_ROWS),
      screen,
    ),
    "",
    paint.muted(
      level === null
        ? "See the plan with `qm init`."
        : "Add one with `qm packs install audit`, remove one with `qm packs remove forge`.",
    ),
  ].join("\n")
}

function renderForged(
  { kind, name, files, tokens, next }: ForgedDefinition,
  screen: Screen,
): string {
  return [
    screen.paint.bold(`Created the ${kind} ${name}: ${plural(tokens, "token")} at start`),
    ...files.map((it) => `  ${rowText(it)}`),
    ...next.map((it) => `${screen.paint.accent("→")} ${it}`),
  ].join("\n")
}

function renderCheck({ files, startTokens }: DefinitionCheck, screen: Screen): string {
  const { paint } = screen
  if (files.length === 0)
    return paint.muted(
      "No agents, commands or skills in this project. Create one: `qm forge skill --help`.",
    )
  const wrong = files.filter((it) => it.problems.length > 0)
  const head = `${plural(files.length, "definition")}, ${plural(startTokens, "token")} at start, ${plural(wrong.length, "definition")} with problems`
  return [
    paint.bold(head),
    ...wrong.flatMap((it) => [
      rowText(it.path),
      ...it.problems.map((one) => `  ${paint.bad(rowText(one))}`),
    ]),
  ].join("\n")
}

/** `fired` only for hooks that have run. */
export function renderHookMatrix(hooks: readonly HookState[], screen: Screen): readonly string[] {
  const { paint } = screen
  if (hooks.length === 0) return []
  const rows = hooks.map((it) => [
    it.host,
    it.hook,
    stateOf(it.state, paint),
    it.at === null ? "" : timeText(it.at),
    paint.muted(rowText(it.why ?? it.event ?? "")),
  ])
  const hosts = KIT_HOSTS.filter((host) => hooks.some((it) => it.host === host))
  return [
    "",
    `${paint.bold("Hooks")} ${paint.muted(hosts.join(", "))}`,
    listing(["Host", "Hook", "State", "Last run (UTC)", "Detail"], rows, screen),
  ]
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

export const packsRenderers: Renderers<typeof packsOperations> = {
  list: renderPacks,
  install: renderKitDone,
  remove: renderKitDone,
}

function renderDefinition(it: DefinitionText, { paint }: Screen): string {
  const place = it.path ?? `kit, pack ${it.pack}, from level ${it.level}`
  return [
    `${paint.bold(rowText(it.name))} ${paint.muted(`${it.kind}, ${rowText(place)}, ${plural(it.tokens, "token")} at start`)}`,
    rowText(it.description),
    ...it.problems.map((problem) => paint.warn(rowText(problem))),
    "",
    it.text.trim(),
  ].join("\n")
}

function renderDiagrams({ diagrams }: DiagramCheck, { paint }: Screen): string {
  if (diagrams.length === 0) return "No mermaid diagram found."
  return diagrams
    .flatMap(({ file, line, type, isOutline, problems }) => {
      const where = `${file === null ? "text" : rowText(file)}:${line}`
      const kind = type === null ? "unknown type" : `${type}${isOutline ? ", outline only" : ""}`
      const verdict =
        problems.length === 0 ? paint.ok("ok") : paint.bad(plural(problems.length, "problem"))
      const rows = problems.map((it) => `  line ${it.line}: ${rowText(it.problem)}`)
      return [`${verdict} ${where} ${paint.muted(kind)}`, ...rows]
    })
    .join("\n")
}

export const forgeRenderers: Renderers<typeof forgeOperations> = {
  agent: renderForged,
  command: renderForged,
  skill: renderForged,
  check: { text: renderCheck, isGood: (it) => it.isGood },
  show: renderDefinition,
  diagrams: { text: renderDiagrams, isGood: (it) => it.isGood },
}

export const kitRenderers: Renderers<typeof kitOperations> = {
  init: renderKitDone,
  level: renderLevels,
  uninstall: renderKitDone,
}
