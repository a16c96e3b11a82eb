import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { text } from "node:stream/consumers"
import { buildHooks } from "../../scripts/build/hooks.ts"

export type HookResult = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export type HookStart = {
  readonly host?: string
  readonly event?: string
  /** A text, an object that is serialized, or undefined for a stdin that stays open. */
  readonly payload: string | Buffer | object | undefined
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Another user than ours; only root can use it. */
  readonly uid?: number | undefined
}

export async function installHooks(folder: string) {
  const home = path.join(folder, ".qm")
  const bundle = await buildHooks(path.join(home, "kit", "qm-hook.mjs"))
  return {
    home,
    bundle,
    run: (start: HookStart) => runHookProcess([bundle], { ...start, cwd: start.cwd ?? folder }),
  }
}

export function enrol(root: string): string {
  const state = path.join(root, ".git", "qm")
  mkdirSync(state, { recursive: true, mode: 0o700 })
  chmodSync(state, 0o700)
  writeFileSync(path.join(state, "kit.json"), '{ "version": 1, "enrolledAt": 0 }')
  return state
}

/** A hang is a failure: the timeout is far beyond the hook's own deadlines. */
export async function runHookProcess(
  entry: readonly string[],
  { host = "claude-code", event, payload, env = {}, cwd, uid }: HookStart,
): Promise<HookResult> {
  const args = [...entry, host, ...(event === undefined ? [] : [event])]
  const child = spawn(process.execPath, args, {
    // On a loaded machine the deadline for rules would replace their answer by silence.
    env: { PATH: process.env["PATH"] ?? "", QM_HOOK_DEADLINE_MS: "60000", ...env },
    timeout: 600_000,
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  child.stdin.on("error", () => {})
  if (payload === undefined) child.stdin.write("{")
  else child.stdin.end(asInput(payload))
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}

function asInput(payload: string | Buffer | object): string | Buffer {
  if (typeof payload === "string" || Buffer.isBuffer(payload)) return payload
  return JSON.stringify(payload)
}

export function hookPayload(
  event: string,
  at: { readonly cwd: string; readonly session?: string },
  fields: object = {},
): object {
  return {
    session_id: at.session ?? "session-1",
    cwd: at.cwd,
    hook_event_name: event,
    ...fields,
  }
}

export function editPayload(
  event: "PreToolUse" | "PostToolUse",
  at: { readonly cwd: string; readonly session?: string },
  file: string,
): object {
  const input = { file_path: file, old_string: "a", new_string: "b" }
  return hookPayload(event, at, { tool_name: "Edit", tool_input: input, tool_response: {} })
}
