import { formatBytes } from "#ground/base"
import {
  type AgentsProviders,
  type AgentsSessions,
  type Approval,
  type ListedRule,
  type Permissions,
} from "#ground/contract"
import { type Screen, table } from "../screen.ts"
import { sayTime } from "./capture-observed.ts"

export function renderAnswer({ title, status, answeredBy }: Approval, { paint }: Screen): string {
  const word = status === "allowed" ? paint.ok("Allowed") : paint.warn(capitalised(status))
  return `${word}: ${title}${answeredBy === null ? "" : paint.muted(`  by ${answeredBy}`)}`
}

export function renderDeleted({ id }: { readonly id: string }): string {
  return `Deleted ${id}.`
}

export function renderSessions({ sessions }: AgentsSessions, { paint }: Screen): string {
  if (sessions.length === 0) {
    return paint.muted("No host kept a session for this repository; --everywhere lists all.")
  }
  return table(
    sessions.map((it) => [
      it.sessionId,
      it.host,
      paint.muted(sayTime(it.changedAt)),
      formatBytes(it.sizeBytes),
      it.isResumable ? "can be resumed" : paint.muted("only to read"),
      it.runId ?? paint.muted("not read yet"),
      it.title,
    ]),
  )
}

export function renderProviders({ providers }: AgentsProviders, { paint }: Screen): string {
  return table(
    providers.map((it) => [
      it.type,
      it.isInstalled ? paint.ok("here") : paint.warn("missing"),
      it.version ?? "",
      it.isInstalled ? sayWhere(it) : it.hint,
    ]),
  )
}

function sayWhere({ program, scripts }: AgentsProviders["providers"][number]): string {
  return scripts.length === 0 ? (program ?? "") : `scripts: ${scripts.join(", ")}`
}

export function renderPermissions(permissions: Permissions, { paint }: Screen): string {
  const { file, digest, isTrusted, rules } = permissions
  const trust = isTrusted
    ? paint.muted(file)
    : paint.warn(
        `${file} is not as you approved it: its allowing rules do not count. To approve what stands here, run \`qm permissions trust --digest ${digest ?? ""}\`.`,
      )
  if (rules.length === 0) return `No rules; the mode of a run decides.\n${trust}`
  return `${table(rules.map((it) => ruleRow(it, paint)))}\n\n${trust}`
}

function ruleRow(rule: ListedRule, paint: Screen["paint"]): readonly string[] {
  const { id, decision, tool, command, path, origin, isInForce } = rule
  const tone = { allow: paint.ok, ask: paint.accent, deny: paint.warn }[decision]
  const about = [
    ...(tool === undefined ? [] : [`tool ${tool}`]),
    ...(command === undefined ? [] : [`command ${command}`]),
    ...(path === undefined ? [] : [`path ${path}`]),
  ]
  const place = origin === "config" ? "settings" : "project"
  const force = isInForce ? "" : paint.warn("not in force")
  return [id, tone(decision), place, about.length === 0 ? "everything" : about.join(", "), force]
}

function capitalised(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}
