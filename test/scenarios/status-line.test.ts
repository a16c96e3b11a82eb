import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { noteSessionCache } from "#choose/guard"
import { createApp } from "#show/app"
import { enrol, hookPayload, installHooks } from "#test/hooks"
import { tempDirectory } from "#test/temp"

const { signal } = new AbortController()
const SCRIPT = [
  {
    event: "approval.requested",
    approvalId: "a",
    tool: "Bash",
    title: "Run npm test",
    input: JSON.stringify({ command: "npm test" }),
  },
  { event: "turn.ended", outcome: "completed" },
]
  .map((it) => JSON.stringify({ after: 0, ...it }))
  .join("\n")

describe("status line and window rule, with the installed bundle", () => {
  test("[HOOKS-19] waiting approvals are those of the store, claims those of the session", async () => {
    await using temp = await tempDirectory()
    const root = path.join(temp.path, "repo")
    mkdirSync(root)
    execFileSync("git", ["init", "-q", "-b", "main", root])
    enrol(root)
    const { home, run } = await installHooks(temp.path)
    const status = {
      session_id: "s-1",
      workspace: { current_dir: root },
      context_window: { context_window_size: 200_000, used_percentage: 71 },
    }
    const env = { HOME: temp.path, QM_HOME: home, NO_COLOR: "1" }
    const line = async () => {
      const { code, stdout, stderr } = await run({ host: "statusline", payload: status, env })
      expect([code, stderr]).toEqual([0, ""])
      return stdout
    }
    expect(await line()).toBe("71 % of 200k, compacts at 167k\n")
    const stateDirectory = path.join(root, ".git", "qm")
    const note = { session: "s-1", tokens: 629_000, maskableTokens: 0 }
    const warm = { ...note, expiresAt: Date.now() + 3_600_000 }
    await noteSessionCache(warm, stateDirectory)
    expect(await line(), "while it is warm").toBe("71 % of 200k, compacts at 167k\n")
    await noteSessionCache({ ...warm, maskableTokens: 34_000 }, stateDirectory)
    expect(await line()).toBe("71 % of 200k, compacts at 167k, could mask 34k\n")
    await noteSessionCache({ ...note, expiresAt: Date.now() - 1 }, stateDirectory)
    expect(await line()).toBe("71 % of 200k, compacts at 167k, cold: next message re-caches 629k\n")
    await noteSessionCache(warm, stateDirectory)

    const options = { directory: root, settings: [], writeLog: () => {} }
    const environment = { PATH: process.env["PATH"], HOME: temp.path, QM_HOME: home }
    await using app = await createApp({ ...options, environment })
    const start = { type: "synthetic", prompt: "ask", mode: "ask", script: SCRIPT }
    await app.call("agents.start", start, { signal })
    await expect.poll(async () => (await (await app.agents()).approvals()).length).toBe(1)
    await app.call("claim.take", { paths: ["a.ts", "b.ts"], session: "s-1" }, { signal })
    await app.call("claim.take", { paths: ["c.ts"], session: "s-2" }, { signal })
    expect(await line()).toBe("71 % of 200k, compacts at 167k, 1 approval waiting, 2 claims\n")
    const [approval] = await (await app.agents()).approvals()
    await app.call("agents.answer", { id: approval?.id, decision: "deny" }, { signal })
    expect(await line()).toBe("71 % of 200k, compacts at 167k, 2 claims\n")
  })

  test("[GUARD-80] from level 3 on, a hook reports the figure of the status line once", async () => {
    await using temp = await tempDirectory()
    const root = path.join(temp.path, "repo")
    mkdirSync(path.join(root, ".qm"), { recursive: true })
    execFileSync("git", ["init", "-q", "-b", "main", root])
    enrol(root)
    const { home, run } = await installHooks(temp.path)
    const status = { session_id: "s-1", cwd: root, context_window: { used_percentage: 86 } }
    await run({ host: "statusline", payload: status, env: { QM_HOME: home } })
    const edit = {
      tool_name: "Edit",
      tool_input: { file_path: path.join(root, "a.ts") },
      tool_response: {},
    }
    const fire = async (level: number) => {
      const payload = hookPayload("PostToolUse", { cwd: root, session: "s-1" }, edit)
      const env = { QM_HOME: home, QM_KIT_LEVEL: String(level), QM_KIT_FETCH: "false" }
      return (await run({ payload, env })).stdout
    }
    expect(await fire(2)).not.toContain("85 % full")
    expect(await fire(3)).toContain("85 % full")
    expect(await fire(3)).not.toContain("85 % full")
  })
})
