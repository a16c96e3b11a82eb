import { chmod, mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import type { HostPlace } from "./host.ts"
import { findSignIn } from "./sign-in.ts"

const placeIn = (home: string, more: Partial<HostPlace> = {}): HostPlace => ({
  workingDirectory: home,
  home,
  environment: {},
  platform: "linux",
  ...more,
})

describe("findSignIn", () => {
  test("[HOSTS-67] a sign-in is a variable or a file; neither is read", async () => {
    await using temp = await tempDirectory()
    const home = temp.path
    expect(await findSignIn(placeIn(home), "codex")).toEqual({ state: "missing", from: undefined })
    await mkdir(path.join(home, ".codex"))
    const file = path.join(home, ".codex/auth.json")
    await writeFile(file, "{")
    await chmod(file, 0)
    expect(await findSignIn(placeIn(home), "codex")).toEqual({
      state: "found",
      from: "~/.codex/auth.json",
    })
    const environment = { ANTHROPIC_API_KEY: "x" }
    const found = await findSignIn(placeIn(home, { environment }), "claude-code")
    expect(found).toEqual({ state: "found", from: "ANTHROPIC_API_KEY" })
  })

  test("[HOSTS-67] the host's folder variable is used", async () => {
    await using temp = await tempDirectory()
    const folder = path.join(temp.path, "mine")
    await mkdir(folder)
    await writeFile(path.join(folder, ".credentials.json"), "{}")
    const place = placeIn(temp.path, { environment: { CLAUDE_CONFIG_DIR: folder } })
    expect((await findSignIn(place, "claude-code")).from).toBe(
      path.join(folder, ".credentials.json"),
    )
  })

  test("[HOSTS-67] unknown where a keychain or another program may have it", async () => {
    await using temp = await tempDirectory()
    const unknown = { state: "unknown", from: undefined }
    const mac = placeIn(temp.path, { platform: "darwin" })
    expect(await findSignIn(mac, "claude-code")).toEqual(unknown)
    expect((await findSignIn(mac, "gemini")).state).toBe("missing")
    expect(await findSignIn(placeIn(temp.path), "copilot")).toEqual(unknown)
    expect(await findSignIn(placeIn(temp.path), "antigravity")).toEqual(unknown)
  })
})
