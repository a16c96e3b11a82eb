import path from "node:path"
import {
  ensureDirectory,
  makeTemporaryDirectory,
  pickEnvironment,
  run,
  writeFileAtomic,
} from "#ground/base"
import { MEASURE_RUNS, MEASURE_TIMEOUT_MS } from "../limits.ts"
import type { KitDeps } from "../plan.ts"
import { HOOK_LEVELS } from "./levels.ts"

/**
 * What a person waits for the hooks of an edit: real processes on a repository of our own, from
 * start to end. Nothing of the user's is touched.
 */
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

/** Those that add a hook to an edit. */
const LEVELS_THAT_DIFFER = [HOOK_LEVELS.track, HOOK_LEVELS.concurrency, HOOK_LEVELS.risk]

type Scene = { readonly deps: KitDeps; readonly root: string; readonly signal: AbortSignal }

const EDITED = "src/edited.ts"

/** Hooks are silent outside of git, so there is the least that is a repository. */
async function build({ root }: Scene, bundle: Uint8Array): Promise<void> {
  const git = path.join(root, ".git")
  for (const folder of ["objects", "refs", "qm"]) await ensureDirectory(path.join(git, folder))
  await writeFileAtomic(path.join(git, "HEAD"), "ref: refs/heads/main\n")
  await writeFileAtomic(path.join(git, "qm", "kit.json"), '{"version":1,"enrolledAt":0}')
  await ensureDirectory(path.join(root, "src"))
  await ensureDirectory(path.join(root, ".qm"))
  await writeFileAtomic(path.join(root, EDITED), "export const edited = true\n")
  await writeFileAtomic(path.join(root, "qm-hook.mjs"), bundle)
}

async function measureLevel(scene: Scene, level: number): Promise<number> {
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

function hookArgs({ root }: Scene): readonly string[] {
  return [path.join(root, "qm-hook.mjs"), "claude-code"]
}

function payload({ root }: Scene, event: string): string {
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

async function timed(scene: Scene, event: string): Promise<number> {
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
