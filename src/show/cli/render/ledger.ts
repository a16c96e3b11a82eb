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
import type { Screen } from "../terminal/screen.ts"
import { listing, quoted, rowText, section, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderClaims({ claims }: ClaimList, screen: Screen): string {
  if (claims.length === 0) {
    return screen.paint.muted("No files are claimed. Claim yours, such as `qm claim take src`.")
  }
  return rowsOf(claims, screen)
}

function renderClaimTaken({ claims, held }: ClaimTaken, screen: Screen): string {
  if (held === null) return `${plural(claims.length, "claim")} active\n\n${rowsOf(claims, screen)}`
  const { paint } = screen
  const until = `until ${timeText(held.expiresAt)}`
  return [
    `${paint.bold("Not claimed:")} ${rowText(held.path)} is claimed by session ${rowText(held.session)} ${until} UTC.`,
    paint.muted("Wait, or ask that session. List all claims with `qm claim`."),
  ].join("\n")
}

function rowsOf(claims: readonly Claim[], screen: Screen): string {
  const { paint } = screen
  return listing(
    ["Path", "Session", "Until (UTC)"],
    claims.map((it) => [
      rowText(it.path),
      rowText(it.session),
      paint.muted(
        `${timeText(it.expiresAt)}${it.isHolderAlive === false ? ", process ended" : ""}`,
      ),
    ]),
    screen,
  )
}

function renderClaimReleased({ released, notHeld }: ClaimReleased, { paint }: Screen): string {
  const lines = [
    ...released.map((it) => `Released: ${rowText(it)}`),
    ...notHeld.map((it) => paint.muted(`Not claimed by you: ${rowText(it)}`)),
  ]
  return lines.join("\n")
}

function renderRegistered(registered: SessionRegistered, screen: Screen): string {
  const { file, indices, archived, proposal } = registered
  return [
    `Wrote ${rowText(file)}`,
    ...indexLines(indices, screen),
    ...(archived.length === 0
      ? []
      : [`Archived ${plural(archived.length, "older session record")}`]),
    ...(proposal === null ? [] : ["", rowText(proposal.text)]),
  ].join("\n")
}

function renderIndexed({ indices }: SessionIndexed, screen: Screen): string {
  return indices.length === 0
    ? "The indexes are up to date."
    : indexLines(indices, screen).join("\n")
}

function indexLines(indices: readonly string[], { paint }: Screen): readonly string[] {
  return indices.map((it) => paint.muted(`Rebuilt ${rowText(it)}`))
}

const MOST_SHOWN = 20

function renderSessionList(list: SessionList, screen: Screen): string {
  const { paint, width } = screen
  if (list.live.length === 0 && list.logged.length === 0) {
    return paint.muted(
      'No sessions yet. Let hosts report them with `qm init`, or write a record: `qm sessions register fix-login "Fix the login"`.',
    )
  }
  const room = { screen, most: MOST_SHOWN }
  const logged = list.logged.map((it) => [
    it.date,
    rowText(it.title),
    paint.muted(rowText(it.request, width)),
  ])
  return [
    ...section(
      "Sessions",
      list.live.map((it) => liveRow(it, screen)),
      { ...room, headings: ["Session", "Host", "Last (UTC)", "Files", "Record", "Claims"] },
    ),
    ...section("Session records", logged, { ...room, headings: ["Date", "Title", "Request"] }),
  ]
    .join("\n")
    .trimStart()
}

function liveRow(session: LiveSession, { paint }: Screen): readonly string[] {
  return [
    rowText(session.session),
    session.host ?? "",
    timeText(session.lastAt),
    plural(session.files, "file"),
    session.drifted === 0
      ? paint.muted("registered")
      : paint.warn(`${session.drifted} not registered`),
    session.claims === 0 ? "" : plural(session.claims, "claim"),
  ]
}

function renderSession(session: SessionShow, screen: Screen): string {
  const { paint, width } = screen
  if (session.text !== null) return quoted(session.text)
  const { live } = session
  const room = { screen, most: MOST_SHOWN }
  const files = session.files.map((it) => [
    rowText(it.path),
    plural(it.edits, "edit"),
    paint.muted(timeText(it.lastAt)),
  ])
  const loaded = session.loaded.map((it) => [
    rowText(it.path),
    paint.muted(`${rowText(it.kind)}, ${rowText(it.reason)}`),
  ])
  const outside = session.outside.map((it) => [rowText(it.path), timeText(it.at)])
  const registered = session.registered.map((it) => [rowText(it.file), timeText(it.at)])
  const claims = session.claims.map((it) => [rowText(it.path), `until ${timeText(it.expiresAt)}`])
  return [
    paint.bold(rowText(live?.session ?? "", width)),
    ...(live === null
      ? []
      : [
          `${live.host ?? "unknown host"}, ${plural(live.edits, "edit")} in ${plural(live.files, "file")}, last ${timeText(live.lastAt)}`,
        ]),
    ...section("Files", files, { ...room, headings: ["File", "Edits", "Last (UTC)"] }),
    ...section("Changed by others during the session", outside, {
      ...room,
      headings: ["File", "Time (UTC)"],
    }),
    ...section("Loaded instructions", loaded, { ...room, headings: ["File", "Reason"] }),
    ...section("Claims", claims, { ...room, headings: ["Path", "Lease (UTC)"] }),
    ...section("Session records", registered, { ...room, headings: ["File", "Time (UTC)"] }),
  ].join("\n")
}

export function renderActivity(entry: ActivityEntry, { paint, width }: Screen): string {
  const time = new Date(entry.at).toISOString().slice(11, 19)
  const what = entry.path ?? ""
  return [
    paint.muted(time),
    rowText(entry.session).padEnd(12),
    KIND_TEXTS[entry.kind],
    rowText(what, Math.max(20, width - 44)),
    paint.muted(entry.tool ?? ""),
  ]
    .filter((it) => it !== "")
    .join("  ")
}

const KIND_TEXTS = {
  opened: "started   ",
  modified: "edited    ",
  outside: "changed outside",
  simulated: "simulated ",
  registered: "registered",
  nudged: "reminded  ",
} as const satisfies Record<ActivityEntry["kind"], string>

export const claimRenderers: Renderers<typeof claimOperations> = {
  list: renderClaims,
  release: { text: renderClaimReleased, isGood: ({ notHeld }) => notHeld.length === 0 },
  take: { text: renderClaimTaken, isGood: ({ held }) => held === null },
}

export const sessionRenderers: Renderers<typeof sessionOperations> = {
  list: renderSessionList,
  show: renderSession,
  index: renderIndexed,
  register: renderRegistered,
}
