import { plural } from "#ground/base"
import {
  type ActivityEntry,
  type LiveSession,
  type SessionList,
  type SessionShow,
} from "#ground/contract"
import type { Screen } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"
import { oneLine, quoted, section } from "./lines.ts"

const MOST_SHOWN = 20

/** Sessions at work, then those that were written down. */
export function renderSessionList(list: SessionList, screen: Screen): string {
  const { paint, width } = screen
  if (list.live.length === 0 && list.logged.length === 0) {
    return paint.muted(
      'No session was seen or written down here. `qm init` lets hosts report; `qm session register <slug> "<request>"` writes one down.',
    )
  }
  const room = { screen, most: MOST_SHOWN }
  const logged = list.logged.map((it) => [
    it.date,
    oneLine(it.title, 50),
    paint.muted(oneLine(it.request, Math.max(20, width - 70))),
  ])
  return [
    ...section(
      "Seen",
      list.live.map((it) => liveRow(it, screen)),
      room,
    ),
    ...section("Written down", logged, room),
  ]
    .join("\n")
    .trimStart()
}

function liveRow(it: LiveSession, { paint }: Screen): readonly string[] {
  return [
    oneLine(it.session, 40),
    it.host ?? "",
    sayTime(it.lastAt),
    plural(it.files, "file"),
    it.drifted === 0 ? paint.muted("nothing to register") : paint.warn(`${it.drifted} to register`),
    it.claims === 0 ? "" : plural(it.claims, "claim"),
  ]
}

export function renderSession(session: SessionShow, screen: Screen): string {
  const { paint, width } = screen
  if (session.text !== null) return quoted(session.text)
  const { live } = session
  const room = { screen, most: MOST_SHOWN }
  const files = session.files.map((it) => [
    oneLine(it.path, Math.max(20, width - 50)),
    plural(it.edits, "edit"),
    paint.muted(sayTime(it.lastAt)),
  ])
  const loaded = session.loaded.map((it) => [
    oneLine(it.path, Math.max(20, width - 40)),
    paint.muted(`${oneLine(it.kind, 20)}, ${oneLine(it.reason, 30)}`),
  ])
  const outside = session.outside.map((it) => [oneLine(it.path, 80), sayTime(it.at)])
  const registered = session.registered.map((it) => [oneLine(it.file, 80), sayTime(it.at)])
  const claims = session.claims.map((it) => [
    oneLine(it.path, 80),
    `until ${sayTime(it.expiresAt)}`,
  ])
  return [
    paint.bold(oneLine(live?.session ?? "", width)),
    ...(live === null
      ? []
      : [
          `${live.host ?? "unknown host"}, ${plural(live.edits, "edit")} in ${plural(live.files, "file")}, last ${sayTime(live.lastAt)}`,
        ]),
    ...section("Files", files, room),
    ...section("Changed by others meanwhile", outside, room),
    ...section("Instructions it loaded", loaded, room),
    ...section("Claims", claims, room),
    ...section("Written down in", registered, room),
  ].join("\n")
}

/** One line of what goes on, for `qm watch`. */
export function renderActivity(entry: ActivityEntry, { paint, width }: Screen): string {
  const time = new Date(entry.at).toISOString().slice(11, 19)
  const what = entry.path ?? ""
  return [
    paint.muted(time),
    oneLine(entry.session, 12).padEnd(12),
    SAID[entry.kind],
    oneLine(what, Math.max(20, width - 44)),
    paint.muted(entry.tool ?? ""),
  ]
    .filter((it) => it !== "")
    .join("  ")
}

const SAID = {
  opened: "began     ",
  modified: "edited    ",
  outside: "changed by others",
  simulated: "simulated ",
  registered: "registered",
  nudged: "reminded  ",
} as const satisfies Record<ActivityEntry["kind"], string>
