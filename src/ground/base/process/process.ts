import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { once } from "../lazy.ts"

/** `ps` answers in milliseconds; it is asked only where there is no /proc. */
const PROCESS_LONGEST_LOOK_MS = 5_000

/**
 * A process, told apart from a later one that was given the same number. `startedAt` is text to
 * compare, not a time: letters, digits and dots, so that it can stand in a file's name. It is
 * undefined where the system does not say.
 */
export type ProcessIdentity = { readonly pid: number; readonly startedAt: string | undefined }

/** Ours, or that of another process which is running now. */
export function processIdentity(pid: number = process.pid): ProcessIdentity {
  return pid === process.pid ? ownIdentity() : { pid, startedAt: look(pid)?.startedAt }
}

const ownIdentity = once(() => ({ pid: process.pid, startedAt: look(process.pid)?.startedAt }))

/** Whether that very process still runs. Without a start time the number alone decides. */
export function isSameProcessAlive(identity: ProcessIdentity): boolean {
  if (!Number.isSafeInteger(identity.pid) || identity.pid <= 0) return false
  const seen = look(identity.pid)
  if (seen === undefined) return canSignal(identity.pid)
  if (isZombie(seen)) return false
  return identity.startedAt === undefined || identity.startedAt === seen.startedAt
}

/**
 * Whether the group of that number is still the one that process began. When the process itself has
 * gone, its number is not given away as long as anyone of its group lives (setpgid(2), fork(2)).
 */
export function holdsGroup(leader: ProcessIdentity): boolean {
  if (isSameProcessAlive(leader)) return true
  const seen = look(leader.pid)
  const isTaken = seen !== undefined && seen.startedAt !== leader.startedAt
  const isOfThisBoot = leader.startedAt?.endsWith(`.${bootName()}`) === true
  return !isTaken && isOfThisBoot && isGroupAlive(leader.pid)
}

/** Children, their children and so on, as far as /proc tells; empty where there is none. */
export function descendantsOf(pids: readonly number[]): readonly ProcessIdentity[] {
  const processes = listProcesses()
  const family = new Set(pids)
  const found: ProcessIdentity[] = []
  // A set grows while it is walked, and holds each number once: a list read while processes come
  // and go may show a circle.
  for (const parent of family) {
    for (const child of processes.filter((it) => it.parent === parent && !family.has(it.pid))) {
      family.add(child.pid)
      found.push({ pid: child.pid, startedAt: child.startedAt })
    }
  }
  return found
}

/** Whether anyone in a process group still runs; signal 0 asks without touching. */
export function isGroupAlive(group: number): boolean {
  if (!canSignal(-group)) return false
  const members = listProcesses().filter((it) => it.group === group)
  // Without /proc the answer to the signal is all there is.
  return members.length === 0 || !members.every(isZombie)
}

type Seen = {
  readonly state: string
  readonly parent: number
  readonly group: number
  readonly startedAt: string
}

/** A zombie holds its number until someone reaps it, but its files and locks are gone. */
function isZombie(seen: Seen): boolean {
  return /^[ZX]/.test(seen.state)
}

function look(pid: number): Seen | undefined {
  return process.platform === "darwin" ? lookWithPs(pid) : lookInProc(pid)
}

function lookInProc(pid: number): Seen | undefined {
  try {
    // latin1, because the command's name inside may be any bytes.
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, "latin1"), bootName())
  } catch {
    return undefined
  }
}

/**
 * The name of the command stands in parentheses and may itself hold spaces and parentheses, so the
 * fields are counted from the last one: state is field 3, then parent and group; the start is 22
 * (proc_pid_stat(5)).
 */
export function parseProcStat(text: string, boot: string): Seen | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, parent, group] = fields
  const ticks = fields[19]
  if (!state || !ticks) return undefined
  return { state, parent: Number(parent), group: Number(group), startedAt: `${ticks}.${boot}` }
}

/** For macOS; in UTC and plain English, so that two looks at one process agree. */
export function lookWithPs(pid: number): Seen | undefined {
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
    // It is there and belongs to someone else.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

function listProcesses(): readonly (Seen & { readonly pid: number })[] {
  const numbers = readNames("/proc").filter((name) => /^\d+$/.test(name))
  return numbers.flatMap((name) => {
    const seen = lookInProc(Number(name))
    return seen === undefined ? [] : [{ pid: Number(name), ...seen }]
  })
}

function readNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Which machine this is, and a clock of it that nobody can set. */
export type Machine = {
  /** Distinguishes machines, and containers with their own process numbers. */
  readonly name: string
  /** Changes at each start of the machine. */
  readonly boot: string
  /** Since that start, the same in all processes. */
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

/** Two containers may have the same host name and different processes with one number. */
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
