import { spawn } from "node:child_process"
import { once } from "node:events"
import { win32 } from "node:path"
import { systemClock } from "../clock.ts"
import { descendantsOf, isGroupAlive, isSameProcessAlive, type ProcessIdentity } from "./process.ts"

/** SIGKILL needs only the kernel; an unreaped zombie must not block us. */
const SPAWN_LONGEST_AFTER_KILL_MS = 2_000

/** Poll interval; ending a group rarely takes more than two polls. */
const SPAWN_LOOK_EVERY_MS = 10

export type EndOptions = {
  readonly graceMs: number
  readonly env: Readonly<Record<string, string>>
}

/**
 * Ends a process, its group, and descendants in other groups. Agents start their commands in
 * separate groups; those are found through their parents, so the tree is read before the first
 * signal.
 */
export async function endTree(leader: ProcessIdentity, ending: EndOptions): Promise<void> {
  if (process.platform === "win32") return endOnWindows(leader.pid, ending.env)
  const strays = descendantsOf([leader.pid])
  await endAll({ group: leader.pid, strays }, ending.graceMs)
}

export async function endGroup(group: number, ending: EndOptions): Promise<void> {
  // Windows has no process groups; leftovers there cannot be addressed.
  if (process.platform === "win32") return
  await endAll({ group, strays: [] }, ending.graceMs)
}

type Targets = { readonly group: number; readonly strays: readonly ProcessIdentity[] }

async function endAll(targets: Targets, graceMs: number): Promise<void> {
  send("SIGTERM", targets)
  if (await areGoneWithin(graceMs, targets)) return
  const roots = [targets.group, ...targets.strays.map((it) => it.pid)]
  const all = { ...targets, strays: [...targets.strays, ...descendantsOf(roots)] }
  send("SIGKILL", all)
  await areGoneWithin(SPAWN_LONGEST_AFTER_KILL_MS, all)
}

function send(signal: "SIGTERM" | "SIGKILL", targets: Targets): void {
  trySignal(-targets.group, signal)
  for (const stray of targets.strays) {
    if (!isSameProcessAlive(stray)) continue
    // It may lead a group with a child younger than the tree we read.
    trySignal(-stray.pid, signal)
    trySignal(stray.pid, signal)
  }
}

async function areGoneWithin(ms: number, targets: Targets): Promise<boolean> {
  const until = systemClock.monotonicMs() + ms
  while (!areGone(targets)) {
    if (systemClock.monotonicMs() >= until) return false
    await systemClock.sleep(SPAWN_LOOK_EVERY_MS)
  }
  return true
}

function areGone(targets: Targets): boolean {
  return !isGroupAlive(targets.group) && !targets.strays.some(isSameProcessAlive)
}

function trySignal(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal)
  } catch {}
}

async function endOnWindows(pid: number, env: Readonly<Record<string, string>>): Promise<void> {
  const { file, args } = taskkill(pid, env)
  const child = spawn(file, args, { shell: false, windowsHide: true, stdio: "ignore", env })
  // Fails when the tree has exited already.
  await once(child, "close").catch(() => {})
}

/** By its full path: Windows searches the working directory first. */
export function taskkill(
  pid: number,
  env: Readonly<Record<string, string>>,
): { readonly file: string; readonly args: readonly string[] } {
  const root = env.SystemRoot ?? "C:\\Windows"
  return {
    file: win32.join(root, "System32", "taskkill.exe"),
    args: ["/T", "/F", "/PID", String(pid)],
  }
}
