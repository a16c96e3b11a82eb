import { plural } from "#ground/base"
import {
  type Claim,
  type ClaimList,
  type ClaimReleased,
  type ClaimTaken,
  type SessionIndexed,
  type SessionRegistered,
} from "#ground/contract"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"
import { oneLine } from "./lines.ts"

export function renderClaims({ claims }: ClaimList, screen: Screen): string {
  if (claims.length === 0) {
    return screen.paint.muted(
      "Nobody has claimed a file here. `qm claim take <paths>` says that you work on some.",
    )
  }
  return rowsOf(claims, screen)
}

export function renderClaimTaken({ claims, held }: ClaimTaken, screen: Screen): string {
  if (held === null) return `${plural(claims.length, "claim")} held\n\n${rowsOf(claims, screen)}`
  const { paint } = screen
  const until = `until ${sayTime(held.expiresAt)}`
  return [
    `${paint.bold("Nothing taken:")} ${oneLine(held.path, 60)} is claimed by session ${oneLine(held.session, 60)}, ${until}.`,
    paint.muted("Talk to them, or wait; `qm claim` shows who holds what."),
  ].join("\n")
}

function rowsOf(claims: readonly Claim[], { paint, width }: Screen): string {
  return table(
    claims.map((it) => [
      oneLine(it.path, width - 50),
      `session ${oneLine(it.session, 30)}`,
      paint.muted(
        `until ${sayTime(it.expiresAt)}${it.isHolderAlive === false ? ", its process is gone" : ""}`,
      ),
    ]),
  )
}

export function renderClaimReleased(
  { released, notHeld }: ClaimReleased,
  { paint }: Screen,
): string {
  const lines = [
    ...released.map((it) => `Given back: ${oneLine(it, 100)}`),
    ...notHeld.map((it) => paint.muted(`Not yours to give back: ${oneLine(it, 100)}`)),
  ]
  return lines.join("\n")
}

export function renderRegistered(registered: SessionRegistered, screen: Screen): string {
  const { file, indices, archived, proposal } = registered
  return [
    `Written: ${oneLine(file, 120)}`,
    ...indexLines(indices, screen),
    ...(archived.length === 0 ? [] : [`Archived: ${plural(archived.length, "older session")}`]),
    ...(proposal === null ? [] : ["", oneLine(proposal.text, 400)]),
  ].join("\n")
}

export function renderIndexed({ indices }: SessionIndexed, screen: Screen): string {
  return indices.length === 0 ? "Nothing has changed." : indexLines(indices, screen).join("\n")
}

function indexLines(indices: readonly string[], { paint }: Screen): readonly string[] {
  return indices.map((it) => paint.muted(`Made anew: ${oneLine(it, 120)}`))
}
