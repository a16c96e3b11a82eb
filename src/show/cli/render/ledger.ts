import { plural } from "#ground/base"
import type {
  ActivityEntry,
  Claim,
  ClaimList,
  ClaimReleased,
  ClaimTaken,
  claimOperations,
  LiveSession,
  SessionIndexed,
  SessionList,
  SessionRegistered,
  SessionShow,
  sessionOperations,
} from "#ground/contract"
import { table } from "../layout.ts"
import type { Screen } from "../screen.ts"
import { quoted, rowText, section, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderClaims({ claims }: ClaimList, screen: Screen): string {
  if (claims.length === 0) {
    return screen.paint.muted(
      "Nobody has claimed a file here. `qm claim take <paths>` says that you work on some.",
    )
  }
  return rowsOf(claims, screen)
}

function renderClaimTaken({ claims, held }: ClaimTaken, screen: Screen): string {
  if (held === null) return `${plural(claims.length, "claim")} held\n\n${rowsOf(claims, screen)}`
  const { paint } = screen
  const until = `until ${timeText(held.expiresAt)}`
  return [
    `${paint.bold("Nothing taken:")} ${rowText(held.path, 60)} is claimed by session ${rowText(held.session, 60)}, ${until}.`,
    paint.muted("Talk to them, or wait; `qm claim` shows who holds what."),
  ].join("\n")
}

function rowsOf(claims: readonly Claim[], { paint, width }: Screen): string {
  return table(
    claims.map((it) => [
      rowText(it.path, width - 50),
      `session ${rowText(it.session, 30)}`,
      paint.muted(
        `until ${timeText(it.expiresAt)}${it.isHolderAlive === false ? ", its process is gone" : ""}`,
      ),
    ]),
  )
}

function renderClaimReleased({ released, notHeld }: ClaimReleased, { paint }: Screen): string {
  const lines = [
    ...released.map((it) => `Given back: ${rowText(it, 100)}`),
    ...notHeld.map((it) => paint.muted(`Not yours to give back: ${rowText(it, 100)}`)),
  ]
  return lines.join("\n")
}

function renderRegistered(registered: SessionRegistered, screen: Screen): string {
  const { file, indices, archived, proposal } = registered
  return [
    `Written: ${rowText(file, 120)}`,
    ...indexLines(indices, screen),
    ...(archived.length === 0 ? [] : [`Archived: ${plural(archived.length, "older session")}`]),
    ...(proposal === null ? [] : ["", rowText(proposal.text, 400)]),
  ].join("\n")
}

function renderIndexed({ indices }: SessionIndexed, screen: Screen): string {
  return indices.length === 0 ? "Nothing has changed." : indexLines(indices, screen).join("\n")
}

function indexLines(indices: readonly string[], { paint }: Screen): readonly string[] {
  return indices.map((it) => paint.muted(`Made anew: ${rowText(it, 120)}`))
}

const MOST_SHOWN = 20

/** Sessions at work, then those that were written down. */
function renderSessionList(list: SessionList, screen: Screen): string {
  const { paint, width } = screen
  if (list.live.length === 0 && list.logged.length === 0) {
    return paint.muted(
      'No session was seen or written down here. `qm init` lets hosts report; `qm session register <slug> "<request>"` writes one down.',
    )
  }
  const room = { screen, most: MOST_SHOWN }
  const logged = list.logged.map((it) => [
    it.date,
    rowText(it.title, 50),
    paint.muted(rowText(it.request, Math.max(20, width - 70))),
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
    rowText(it.session, 40),
    it.host ?? "",
    timeText(it.lastAt),
    plural(it.files, "file"),
    it.drifted === 0 ? paint.muted("nothing to register") : paint.warn(`${it.drifted} to register`),
    it.claims === 0 ? "" : plural(it.claims, "claim"),
  ]
}

function renderSession(session: SessionShow, screen: Screen): string {
  const { paint, width } = screen
  if (session.text !== null) return quoted(session.text)
  const { live } = session
  const room = { screen, most: MOST_SHOWN }
  const files = session.files.map((it) => [
    rowText(it.path, Math.max(20, width - 50)),
    plural(it.edits, "edit"),
    paint.muted(timeText(it.lastAt)),
  ])
  const loaded = session.loaded.map((it) => [
    rowText(it.path, Math.max(20, width - 40)),
    paint.muted(`${rowText(it.kind, 20)}, ${rowText(it.reason, 30)}`),
  ])
  const outside = session.outside.map((it) => [rowText(it.path, 80), timeText(it.at)])
  const registered = session.registered.map((it) => [rowText(it.file, 80), timeText(it.at)])
  const claims = session.claims.map((it) => [
    rowText(it.path, 80),
    `until ${timeText(it.expiresAt)}`,
  ])
  return [
    paint.bold(rowText(live?.session ?? "", width)),
    ...(live === null
      ? []
      : [
          `${live.host ?? "unknown host"}, ${plural(live.edits, "edit")} in ${plural(live.files, "file")}, last ${timeText(live.lastAt)}`,
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
    rowText(entry.session, 12).padEnd(12),
    SAID[entry.kind],
    rowText(what, Math.max(20, width - 44)),
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

export const claimRenderers: Renderers<typeof claimOperations> = {
  list: renderClaims,
  release: renderClaimReleased,
  take: renderClaimTaken,
}

export const sessionRenderers: Renderers<typeof sessionOperations> = {
  list: renderSessionList,
  show: renderSession,
  index: renderIndexed,
  register: renderRegistered,
}
