/** A claim as it stands in its file. */
export type ClaimRecord = {
  readonly path: string
  readonly session: string
  readonly state: "held" | "released"
  /** Grows with each holder of the path: who writes shows it, and an older one is refused. */
  readonly fence: number
  /** Chance, so that two holders are told apart even if somebody deleted the files between. */
  readonly token: string
  readonly pid: number
  readonly startedAt: string | undefined
  readonly machine: string
  readonly boot: string
  readonly takenAt: number
  readonly heartbeatAt: number
  /** The same moment by a clock that nobody can set; it counts within one boot of one machine. */
  readonly heartbeatUptimeMs: number
  readonly leaseMs: number
  readonly expiresAt: number
}

export function writeClaim(record: ClaimRecord): string {
  return `${JSON.stringify(record)}\n`
}

/** By hand, because hooks may load no package. */
export function parseClaim(bytes: Buffer): ClaimRecord | undefined {
  const it = objectIn(bytes)
  if (it === undefined) return undefined
  const [path, session, token] = [text(it["path"]), text(it["session"]), text(it["token"])]
  const [machine, boot, state] = [text(it["machine"]), text(it["boot"]), it["state"]]
  const [pid, fence] = [count(it["pid"]), count(it["fence"])]
  const [takenAt, heartbeatAt] = [number(it["takenAt"]), number(it["heartbeatAt"])]
  const [leaseMs, expiresAt] = [number(it["leaseMs"]), number(it["expiresAt"])]
  const heartbeatUptimeMs = number(it["heartbeatUptimeMs"])
  const startedAt = text(it["startedAt"])
  if (path === undefined || session === undefined || token === undefined) return undefined
  if (machine === undefined || boot === undefined || pid === undefined) return undefined
  if (fence === undefined || takenAt === undefined || heartbeatAt === undefined) return undefined
  if (leaseMs === undefined || expiresAt === undefined) return undefined
  if (heartbeatUptimeMs === undefined || (state !== "held" && state !== "released"))
    return undefined
  const when = { takenAt, heartbeatAt, heartbeatUptimeMs, leaseMs, expiresAt }
  return { path, session, state, fence, token, pid, startedAt, machine, boot, ...when }
}

function objectIn(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? number(value) : undefined
}
