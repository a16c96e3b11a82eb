import path from "node:path"
import { RULES } from "#choose/guard"
import {
  ensureDirectory,
  invariant,
  makeTemporaryDirectory,
  pickEnvironment,
  run,
  writeFileAtomic,
} from "#ground/base"
import { HOOK_NAMES, type HookName } from "#ground/contract"
import type { KitDeps } from "./plan.ts"

const MEASURE_TIMEOUT_MS = 10_000

/** The median of five runs is stable enough for a table. */
const MEASURE_RUNS = 5

export const HOOK_LEVELS: Readonly<Record<HookName, number>> = {
  boot: levelOf("boot"),
  track: levelOf("track"),
  drift: levelOf("drift"),
  loaded: levelOf("loaded"),
  concurrency: levelOf("concurrency"),
  guideline: levelOf("guideline"),
  package: levelOf("package"),
  prompt: levelOf("prompt"),
  risk: levelOf("risk"),
  pitfall: levelOf("pitfall"),
  window: levelOf("window"),
  budget: levelOf("budget"),
  secrets: levelOf("secrets"),
  results: levelOf("results"),
  compaction: levelOf("compaction"),
}

function levelOf(name: HookName): number {
  const rule = RULES.find((it) => it.name === name)
  invariant(rule !== undefined, `the hook ${name} has a rule that judges`)
  return rule.level
}

/** From this level on, tools that bring text into the context window are metered. */
export const METERED_FROM_LEVEL = 4

export const GIT_HOOKS_FROM_LEVEL = 3

export const LEVELS = [1, 2, 3, 4, 5, 6, 7] as const

export const LEVEL_ADDS: Readonly<Record<(typeof LEVELS)[number], string>> = {
  1: "register sessions, record decisions and hand off",
  2: "session ledger, summary at session start, what a compaction must keep, reminder to register, no reads of files with secrets",
  3: "file claims, no branch switch or reset while another session works here, warnings about edits of other sessions and a full window, a stop at a spending limit, git hooks",
  4: "packages for tasks and sub-agents, token metering, digests of large outputs, the squads dev and qa",
  5: "simulation before high-risk edits, guidelines before tools, a package for each prompt, known pitfalls, lessons, audits, tickets, releases",
  6: "swarms, autonomy, token report, forge, the squads design, security, compliance, ops and forge",
  7: "research from sources and documents, playbooks",
}

export function hooksOfLevel(level: number): readonly HookName[] {
  return HOOK_NAMES.filter((it) => HOOK_LEVELS[it] <= level)
}

export async function measureEdits(
  deps: KitDeps,
  signal: AbortSignal,
): Promise<(level: number) => number> {
  await using folder = await makeTemporaryDirectory()
  const scene = { deps, root: folder.path, signal }
  await build(scene, (await deps.bundle()).bytes)
  const byLevel = new Map<number, number>()
  for (const level of LEVELS_THAT_DIFFER) byLevel.set(level, await measureLevel(scene, level))
  return (level) => byLevel.get(LEVELS_THAT_DIFFER.findLast((it) => it <= level) ?? 0) ?? 0
}

const LEVELS_THAT_DIFFER = [HOOK_LEVELS.track, HOOK_LEVELS.concurrency, HOOK_LEVELS.risk]

type LevelContext = { readonly deps: KitDeps; readonly root: string; readonly signal: AbortSignal }

const EDITED = "src/edited.ts"

/** Hooks do nothing outside git, so build a minimal repository. */
async function build({ root }: LevelContext, bundle: Uint8Array): Promise<void> {
  const git = path.join(root, ".git")
  for (const folder of ["objects", "refs", "qm"]) await ensureDirectory(path.join(git, folder))
  await writeFileAtomic(path.join(git, "HEAD"), "ref: refs/heads/main\n")
  await writeFileAtomic(path.join(git, "qm", "kit.json"), '{"version":1,"enrolledAt":0}')
  await ensureDirectory(path.join(root, "src"))
  await ensureDirectory(path.join(root, ".qm"))
  await writeFileAtomic(path.join(root, EDITED), "export const edited = true\n")
  await writeFileAtomic(path.join(root, "qm-hook.mjs"), bundle)
}

async function measureLevel(scene: LevelContext, level: number): Promise<number> {
  const events = [
    ...(level >= HOOK_LEVELS.concurrency ? ["PreToolUse"] : []),
    ...(level >= HOOK_LEVELS.track ? ["PostToolUse"] : []),
  ]
  const settings = JSON.stringify({ kit: { level, fetch: false } })
  await writeFileAtomic(path.join(scene.root, ".qm", "config.json"), settings)
  const sums: number[] = []
  for (let at = 0; at < MEASURE_RUNS; at++) {
    let sumMs = 0
    for (const event of events) sumMs += await timed(scene, event)
    sums.push(sumMs)
  }
  const middle = sums.toSorted((a, b) => a - b)[Math.floor(sums.length / 2)] ?? 0
  return Math.max(0, Math.round(middle * 10) / 10)
}

function hookArgs({ root }: LevelContext): readonly string[] {
  return [path.join(root, "qm-hook.mjs"), "claude-code"]
}

function payload({ root }: LevelContext, event: string): string {
  const file = path.join(root, EDITED)
  return JSON.stringify({
    session_id: "measured",
    cwd: root,
    hook_event_name: event,
    tool_name: "Edit",
    tool_input: { file_path: file, old_string: "true", new_string: "false" },
    ...(event === "PostToolUse" ? { tool_response: { filePath: file } } : {}),
  })
}

async function timed(scene: LevelContext, event: string): Promise<number> {
  const { deps, root, signal } = scene
  const began = deps.clock.monotonicMs()
  await run(deps.runtime.node, hookArgs(scene), {
    cwd: root,
    env: {
      ...pickEnvironment(deps.environment, ["PATH"]),
      HOME: root,
      QM_HOME: path.join(root, "home"),
    },
    timeoutMs: MEASURE_TIMEOUT_MS,
    maxOutputBytes: 64 * 1024,
    input: payload(scene, event),
    signal,
  })
  return deps.clock.monotonicMs() - began
}
