import { formatExact } from "#ground/base"
import type {
  AuditLog,
  Invitation,
  IssuedToken,
  PeopleList,
  Person,
  PersonToken,
  PersonTokens,
  peopleOperations,
} from "#ground/contract"
import type { Screen } from "../terminal/screen.ts"
import { listing, rowText, timeText } from "./lines.ts"
import type { Renderers } from "./renderer.ts"

function renderPeople({ people }: PeopleList, screen: Screen): string {
  const { paint } = screen
  if (people.length === 0) {
    return paint.muted("No people. Invite one with `qm people invite ada --role operator`.")
  }
  const rows = people.map((it) => [
    it.revokedAt === null ? it.name : paint.muted(it.name),
    it.revokedAt === null ? it.role : paint.warn("revoked"),
    formatExact(it.sessions),
    formatExact(it.tokens),
    paint.muted(it.usedAt === null ? "never" : timeText(it.usedAt)),
  ])
  return listing(["Person", "Role", "Browsers", "Tokens", "Last use"], rows, screen)
}

function renderInvitation({ person, link, expiresAt }: Invitation, { paint }: Screen): string {
  const place = link.startsWith("/") ? "The link begins with the address of your server.\n" : ""
  return [
    `${person.name} is ${article(person.role)}. Send this link to ${person.name}:`,
    `  ${link}`,
    paint.muted(`${place}It signs in one browser, once, until ${timeText(expiresAt)} UTC.`),
  ].join("\n")
}

function article(role: Person["role"]): string {
  return `${role === "viewer" ? "a" : "an"} ${role}`
}

function renderPerson({ name, role, revokedAt }: Person): string {
  return revokedAt === null ? `${name} is ${article(role)}.` : `${name} is revoked.`
}

function renderIssued({ token, person, id, expiresAt }: IssuedToken, { paint }: Screen): string {
  const until = expiresAt === null ? "It does not expire" : `It expires ${timeText(expiresAt)} UTC`
  return [
    token,
    paint.muted(`Shown only now; only its hash is stored. ${until}.`),
    paint.muted(`Revoke the token of ${person} with \`qm people token revoke ${id}\`.`),
  ].join("\n")
}

function renderTokens({ tokens }: PersonTokens, screen: Screen): string {
  const { paint } = screen
  if (tokens.length === 0) return paint.muted("No tokens. Create one with `qm people token new`.")
  const rows = tokens.map((it) => [
    it.id,
    it.person,
    rowText(it.label),
    stateOf(it, paint),
    paint.muted(it.usedAt === null ? "never" : timeText(it.usedAt)),
  ])
  return listing(["Token", "Person", "Label", "Until", "Last use"], rows, screen)
}

function stateOf({ endedAt, expiresAt }: PersonToken, paint: Screen["paint"]): string {
  if (endedAt !== null) return paint.warn("revoked")
  return expiresAt === null ? "no end" : timeText(expiresAt).slice(0, 10)
}

function renderWithdrawn({ label, person }: PersonToken): string {
  return `The token ${rowText(label)} of ${person} is revoked.`
}

function renderLog({ entries, head }: AuditLog, screen: Screen): string {
  const { paint } = screen
  if (entries.length === 0) return paint.muted("No entries.")
  const rows = entries.map((it) => [
    paint.muted(timeText(it.at)),
    it.person,
    it.operation,
    it.outcome === "done" ? "done" : paint.warn(it.code ?? it.outcome),
    paint.muted(it.ids.join(" ")),
  ])
  return [
    listing(["Time (UTC)", "Person", "Operation", "Outcome", "Ids"], rows, screen),
    "",
    paint.muted(`Hash of entry ${head.seq}: ${head.hash}`),
  ].join("\n")
}

export const peopleRenderers: Renderers<typeof peopleOperations> = {
  invite: renderInvitation,
  issue: renderIssued,
  list: renderPeople,
  log: renderLog,
  revoke: renderPerson,
  role: renderPerson,
  tokens: renderTokens,
  withdraw: renderWithdrawn,
}
