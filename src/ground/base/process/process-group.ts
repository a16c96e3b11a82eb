import { spawn } from "node:child_process"
import { once } from "node:events"
import { win32 } from "node:path"
import { systemClock } from "../clock.ts"
import { descendantsOf, isGroupAlive, isSameProcessAlive, type ProcessIdentity } from "./process.ts"

/** After SIGKILL only the kernel is waited for; a zombie nobody reaps must not hold us. */
const SPAWN_LONGEST_AFTER_KILL_MS = 2_000

/** How often we look whether a group is gone; ending one rarely takes more than two looks. */
const SPAWN_LOOK_EVERY_MS = 10

export type Ending = {
  /** Time between the polite signal and the last one. */
  readonly graceMs: number
  readonly env: Readonly<Record<string, string>>
}

/**
 * Ends a running process, its group, and what it started outside its group. Agents give their
 * commands groups of their own; those are found by their parents as long as these live, which is
 * why the tree is read before the first signal.
 */
export async function endTree(leader: ProcessIdentity, ending: Ending): Promise<void> {
  if (process.platform === "win32") return endOnWindows(leader.pid, ending.env)
  const strays = descendantsOf([leader.pid])
  await endAll({ group: leader.pid, strays }, ending.graceMs)
}

/** Ends what is left of a group whose leader has just gone. */
export async function endGroup(group: number, ending: Ending): Promise<void> {
  // Windows keeps no group: what a program leaves behind there has no number we could name.
  if (process.platform === "win32") return
  await endAll({ group, strays: [] }, ending.graceMs)
}

type Targets = { readonly group: number; readonly strays: readonly ProcessIdentity[] }

async function endAll(targets: Targets, graceMs: number): Promise<void> {
  send("SIGTERM", targets)
  if (await areGoneWithin(graceMs, targets)) return
  // What refused may have started more since the first look.
  const roots = [targets.group, ...targets.strays.map((it) => it.pid)]
  const all = { ...targets, strays: [...targets.strays, ...descendantsOf(roots)] }
  send("SIGKILL", all)
  await areGoneWithin(SPAWN_LONGEST_AFTER_KILL_MS, all)
}

function send(signal: "SIGTERM" | "SIGKILL", targets: Targets): void {
  trySignal(-targets.group, signal)
  for (const stray of targets.strays) {
    if (!isSameProcessAlive(stray)) continue
    // It may lead a group of its own, with a child that was born after the tree was read.
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
  } catch {
    // Gone already, or no longer ours to end.
  }
}

async function endOnWindows(pid: number, env: Readonly<Record<string, string>>): Promise<void> {
  const { file, args } = taskkill(pid, env)
  const child = spawn(file, args, { shell: false, windowsHide: true, stdio: "ignore", env })
  // It fails when the tree is gone already, which is what we want.
  await once(child, "close").catch(() => {})
}

/** By its full path: Windows looks into the working directory first, which may be anyone's. */
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
