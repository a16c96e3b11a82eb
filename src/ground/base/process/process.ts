import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { once } from "../lazy.ts"

/** `ps` answers in milliseconds; used only where there is no /proc. */
const PROCESS_LONGEST_LOOK_MS = 5_000

/**
 * Distinguishes a process from a later one with the same pid. `startedAt` is text to compare, not a
 * time: letters, digits and dots, so it can be part of a file name. Undefined where the system does
 * not report it.
 */
export type ProcessIdentity = { readonly pid: number; readonly startedAt: string | undefined }

export function processIdentity(pid: number = process.pid): ProcessIdentity {
  return pid === process.pid ? ownIdentity() : { pid, startedAt: look(pid)?.startedAt }
}

const ownIdentity = once(() => ({ pid: process.pid, startedAt: look(process.pid)?.startedAt }))

export function isSameProcessAlive(identity: ProcessIdentity): boolean {
  if (!Number.isSafeInteger(identity.pid) || identity.pid <= 0) return false
  const stat = look(identity.pid)
  if (stat === undefined) return canSignal(identity.pid)
  if (isZombie(stat)) return false
  return identity.startedAt === undefined || identity.startedAt === stat.startedAt
}

/**
 * Whether the group is still the one that the process created. While a member lives, the kernel
 * does not reuse the number (setpgid(2), fork(2)).
 */
export function holdsGroup(leader: ProcessIdentity): boolean {
  if (isSameProcessAlive(leader)) return true
  const stat = look(leader.pid)
  const isReused = stat !== undefined && stat.startedAt !== leader.startedAt
  const isOfThisBoot = leader.startedAt?.endsWith(`.${bootName()}`) === true
  return !isReused && isOfThisBoot && isGroupAlive(leader.pid)
}

export function descendantsOf(pids: readonly number[]): readonly ProcessIdentity[] {
  const processes = listProcesses()
  const family = new Set(pids)
  const descendants: ProcessIdentity[] = []
  // A set grows while iterated and holds each pid once: a list read while processes change may
  // contain a cycle.
  for (const parent of family) {
    for (const child of processes.filter((it) => it.parent === parent && !family.has(it.pid))) {
      family.add(child.pid)
      descendants.push({ pid: child.pid, startedAt: child.startedAt })
    }
  }
  return descendants
}

export function isGroupAlive(group: number): boolean {
  if (!canSignal(-group)) return false
  const members = listProcesses().filter((it) => it.group === group)
  // Without /proc only the result of the signal is available.
  return members.length === 0 || !members.every(isZombie)
}

type ProcessStat = {
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly startedAt: string
}

/** A zombie keeps its pid until it is reaped, but its files and locks are gone. */
function isZombie(seen: ProcessStat): boolean {
  return /^[ZX]/.test(seen.state)
}

function look(pid: number): ProcessStat | undefined {
  return process.platform === "darwin" ? lookWithPs(pid) : lookInProc(pid)
}

function lookInProc(pid: number): ProcessStat | undefined {
  try {
    // latin1, because the command name may be any bytes.
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, "latin1"), bootName())
  } catch {
    return undefined
  }
}

/**
 * The command name is in parentheses and may contain spaces and parentheses, so fields count from
 * the last one: state is field 3, then parent and group; the start is 22 (proc_pid_stat(5)).
 */
export function parseProcStat(text: string, boot: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, parent, group] = fields
  const ticks = fields[19]
  if (!state || !ticks) return undefined
  return { state, parent: Number(parent), group: Number(group), startedAt: `${ticks}.${boot}` }
}

/** For macOS; in UTC and the C locale, so that two calls agree. */
export function lookWithPs(pid: number): ProcessStat | undefined {
  try {
    const text = execFileSync("/bin/ps", ["-o", "stat=,ppid=,pgid=,lstart=", "-p", String(pid)], {
      encoding: "latin1",
      env: { LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: PROCESS_LONGEST_LOOK_MS,
    })
    const [state, parent, group, ...started] = text.trim().split(/\s+/)
    if (!state || started.length === 0) return undefined
    const startedAt = started.join("").replaceAll(":", "")
    return { state, parent: Number(parent), group: Number(group), startedAt }
  } catch {
    return undefined
  }
}

function canSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process exists and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

function listProcesses(): readonly (ProcessStat & { readonly pid: number })[] {
  const numbers = readNames("/proc").filter((name) => /^\d+$/.test(name))
  return numbers.flatMap((name) => {
    const stat = lookInProc(Number(name))
    return stat === undefined ? [] : [{ pid: Number(name), ...stat }]
  })
}

function readNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

export type Machine = {
  /** Distinguishes machines, and containers with their own pid namespace. */
  readonly name: string
  /** Changes at each start of the machine. */
  readonly boot: string
  uptimeMs(): number
}

export const thisMachine: () => Machine = once(() => ({
  name: `${hostname()}${processNamespace()}`,
  boot: bootName(),
  // hrtime counts from the start of the system, not of this process.
  uptimeMs: () => Number(process.hrtime.bigint() / 1_000_000n),
}))

/** Eight characters that change at each start of the machine; "boot" where the system has no id. */
const bootName = once(() =>
  readOr("boot", () => readFileSync("/proc/sys/kernel/random/boot_id", "latin1")).slice(0, 8),
)

function processNamespace(): string {
  return readOr("", () => ` ${readlinkSync("/proc/self/ns/pid")}`)
}

function readOr(otherwise: string, read: () => string): string {
  try {
    return read()
  } catch {
    return otherwise
  }
}
