import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { systemClock, systemRandom } from "#ground/base"
import type { HookState, KitHost } from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { removeTree } from "./hosts/claude-code.ts"
import { type ProveDeps, prove } from "./prove.ts"
import { makeScene } from "./scene.ts"

function installed(host: KitHost): readonly HookState[] {
  return [{ host, hook: "boot", event: "SessionStart", state: "installed", at: null, why: null }]
}

function depsIn(home: string, rest: Partial<ProveDeps> = {}): ProveDeps {
  return {
    machine: { userHome: home, environment: { PATH: process.env["PATH"], HOME: home } },
    clock: systemClock,
    random: systemRandom,
    findProgram: async () => undefined,
    keep: async () => ({ [Symbol.asyncDispose]: async () => {} }),
    ...rest,
  }
}

async function writeFakeHost(folder: string, script: string): Promise<string> {
  const file = path.join(folder, "host")
  await writeFile(file, `#!/bin/sh\n${script}\n`)
  await chmod(file, 0o755)
  return file
}

describe("proving a host", () => {
  test("[PROVE-2] a host without a program is reported as not found", async () => {
    await using home = await tempDirectory()
    const rows = [...installed("claude-code"), ...installed("codex"), ...installed("antigravity")]
    const proof = await prove({ installed: rows, trustHooks: false }, depsIn(home.path))
    expect(proof.hooks.map(({ host, state, why }) => [host, state, why])).toEqual([
      ["claude-code", "installed", expect.stringContaining("not on the PATH")],
      ["codex", "installed", expect.stringContaining("not on the PATH")],
      ["antigravity", "installed", "Not proved: Antigravity was not run."],
    ])
  })

  test("[PROVE-2] a host without qm's hooks is not started", async () => {
    await using home = await tempDirectory()
    const asked: KitHost[] = []
    const rows = installed("codex").map((it) => ({ ...it, state: "not installed" as const }))
    const deps = depsIn(home.path, {
      findProgram: async (host) => {
        asked.push(host)
        return undefined
      },
    })
    expect((await prove({ installed: rows, trustHooks: false }, deps)).hooks).toEqual(rows)
    expect(asked).toEqual([])
  })

  test("[PROVE-2] a host that fails is reported with its exit code, and none of its hooks fired", async () => {
    await using home = await tempDirectory()
    const program = await writeFakeHost(home.path, "exit 7")
    const deps = depsIn(home.path, { findProgram: async () => program })
    const { hooks } = await prove({ installed: installed("codex"), trustHooks: false }, deps)
    expect(hooks[0]).toMatchObject({ state: "installed", why: expect.stringContaining("code 7") })
  })

  test("[PROVE-3] Claude Code runs with the user's settings, the scripted model, and none of the user's keys", async () => {
    await using home = await tempDirectory()
    const told = path.join(home.path, "told")
    const program = await writeFakeHost(
      home.path,
      `env > '${told}'; for a; do echo "$a" >> '${told}'; done`,
    )
    const environment = {
      PATH: process.env["PATH"],
      HOME: home.path,
      ANTHROPIC_API_KEY: "of-the-person",
      GITHUB_TOKEN: "of-the-person",
      ANTHROPIC_BASE_URL: "http://198.51.100.7",
      HTTPS_PROXY: "http://198.51.100.7",
      CLAUDE_CODE_USE_BEDROCK: "1",
    }
    const machine = { userHome: home.path, environment }
    const deps = depsIn(home.path, { findProgram: async () => program, machine })
    await prove({ installed: installed("claude-code"), trustHooks: false }, deps)
    const text = await readFile(told, "utf8")
    expect(text).not.toMatch(/of-the-person|198\.51\.100\.7|BEDROCK=1/)
    expect(text).toMatch(/^ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+$/m)
    expect(text).toMatch(/^--strict-mcp-config$/m)
    expect(text).toMatch(/^\{"env":\{"ANTHROPIC_BASE_URL":"http:\/\/127\.0\.0\.1:/m)
  })

  test("[PROVE-4] Codex runs unreviewed hooks only with `trustHooks`", async () => {
    await using home = await tempDirectory()
    const told = path.join(home.path, "told")
    const servers = `[ "$1" = mcp ] && { echo '[{"name":"a b"}]'; exit; }`
    const program = await writeFakeHost(
      home.path,
      `${servers}\nfor a; do echo "$a" >> '${told}'; done`,
    )
    const deps = depsIn(home.path, { findProgram: async () => program })
    await prove({ installed: installed("codex"), trustHooks: false }, deps)
    const without = await readFile(told, "utf8")
    expect(without).not.toContain("bypass-hook-trust")
    expect(without).toContain(`mcp_servers={"a b"={enabled=false}}`)
    await prove({ installed: installed("codex"), trustHooks: true }, deps)
    expect(await readFile(told, "utf8")).toContain("--dangerously-bypass-hook-trust")
  })

  test("the host is ended when the caller aborts", async () => {
    await using home = await tempDirectory()
    const program = await writeFakeHost(home.path, "exec sleep 600")
    const deps = depsIn(home.path, { findProgram: async () => program })
    const asking = new AbortController()
    const onProgress = () => asking.abort()
    const options = { installed: installed("claude-code"), trustHooks: false, onProgress }
    const { hooks } = await prove({ ...options, signal: asking.signal }, deps)
    expect(hooks[0]).toMatchObject({
      state: "installed",
      why: expect.stringContaining("cancelled"),
    })
  })
})

describe("the scene", () => {
  test("[PROVE-5] the scene is a separate enrolled repository, removed at the end", async () => {
    let root = ""
    {
      await using scene = await makeScene({ random: systemRandom, now: 5 })
      root = scene.root
      const kit = await readFile(path.join(scene.stateDirectory, "kit.json"), "utf8")
      expect(JSON.parse(kit)).toEqual({ version: 1, enrolledAt: 5 })
      expect(await readFile(path.join(root, "CHANGELOG.md"), "utf8")).toContain(scene.marks.boot)
      expect(scene.sessionId).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
      )
    }
    await expect(readdir(path.dirname(root))).rejects.toThrow("ENOENT")
  })

  test("[PROVE-5] files that a host left behind are removed without following links out of the scene", async () => {
    await using temp = await tempDirectory()
    const folder = path.join(temp.path, "left")
    await mkdir(path.join(folder, "a", "b"), { recursive: true })
    await writeFile(path.join(folder, "a", "b", "c.json"), "{}")
    await writeFile(path.join(temp.path, "kept"), "kept")
    const { symlink } = await import("node:fs/promises")
    await symlink(temp.path, path.join(folder, "a", "out"))
    await removeTree(folder)
    expect(await readdir(temp.path)).toEqual(["kept"])
    await removeTree(folder)
  })
})
