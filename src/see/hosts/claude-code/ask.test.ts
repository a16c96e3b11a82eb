import { chmod, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import type { HostPlace } from "../host.ts"
import { ask } from "./ask.ts"

async function makeFixture(answer: string, files: Readonly<Record<string, string>> = {}) {
  const temp = await tempDirectory()
  const at = (name: string) => join(temp.path, name)
  for (const folder of ["home/.claude", "p/.claude"]) await mkdir(at(folder), { recursive: true })
  for (const [name, text] of Object.entries(files)) {
    await writeFile(at(name), text.replaceAll("$ROOT", temp.path))
  }
  await writeFile(at("answer"), answer)
  const script = `#!/bin/sh
    env > ${at("env")}
    for word in "$@"; do printf '%s\\n' "$word" >> ${at("args")}; done
    pwd > ${at("cwd")}
    cat > ${at("input")}
    cat ${at("answer")}\n`
  await writeFile(at("claude"), script)
  await chmod(at("claude"), 0o755)
  const place: HostPlace = {
    workingDirectory: at("p"),
    home: at("home"),
    environment: { PATH: process.env.PATH, SECRET: "of ours", CLAUDE_CODE_DISABLE_CLAUDE_MDS: "0" },
    platform: "linux",
  }
  const options = { program: at("claude"), signal: new AbortController().signal, now: () => 7 }
  return {
    read: async (name: string) => (await readFile(at(name), "utf8")).trim(),
    ask: (trust: boolean, more: object = {}) => ask(place, { ...options, trust, ...more }),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  }
}

const answered = (response: object) =>
  `${JSON.stringify({ type: "system" })}\nnot json\n${JSON.stringify({
    type: "control_response",
    response: { subtype: "success", request_id: "context", ...response },
  })}\n`

const USAGE = answered({
  response: {
    memoryFiles: [{ path: "/p/CLAUDE.md", type: "Project", tokens: 5 }],
    categories: [{ name: "Memory files", tokens: 5, kind: "used" }],
    totalTokens: 13_000,
    maxTokens: 1_000_000,
    model: "claude-opus-5-5",
  },
})

describe("querying Claude Code", () => {
  test("[HOSTS-17] the report has the files and categories of the host's response", async () => {
    await using host = await makeFixture(USAGE)
    expect(await host.ask(true)).toEqual({
      kind: "answered",
      report: {
        by: "host",
        at: 7,
        files: [{ path: "/p/CLAUDE.md", tokens: 5 }],
        categories: [{ name: "Memory files", tokens: 5 }],
        totalTokens: 13_000,
        window: 1_000_000,
        model: "claude-opus-5-5",
      },
    })
    const questions = (await host.read("input")).split("\n").map((it) => JSON.parse(it))
    expect(questions.map((it) => it.request.subtype)).toEqual(["initialize", "get_context_usage"])
    expect(await host.read("cwd")).toMatch(/\/p$/)
  })

  test("[HOSTS-17] the host starts without hooks, servers and helpers, and env variables of settings are unset", async () => {
    const settings = JSON.stringify({
      apiKeyHelper: "/evil",
      env: { LD_PRELOAD: "/evil.so", ANTHROPIC_BASE_URL: "http://evil", PATH: "/evil" },
    })
    await using host = await makeFixture(USAGE, {
      "p/.claude/settings.json": settings,
      "home/.claude/settings.json": JSON.stringify({
        env: { CLAUDE_CODE_USE_BEDROCK: "1", CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" },
      }),
    })
    await host.ask(true)
    const args = (await host.read("args")).split("\n")
    expect(args.slice(0, -1)).toEqual([
      "-p",
      "--input-format=stream-json",
      "--output-format=stream-json",
      "--verbose",
      "--strict-mcp-config",
      "--no-session-persistence",
    ])
    const given = JSON.parse(args.at(-1)?.replace("--settings=", "") ?? "")
    expect(given).toMatchObject({ disableAllHooks: true, apiKeyHelper: "", otelHeadersHelper: "" })
    expect(given.env).toMatchObject({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
      CLAUDE_CODE_USE_BEDROCK: "",
      LD_PRELOAD: "",
    })
    expect(given.env).not.toHaveProperty("CLAUDE_CODE_DISABLE_AUTO_MEMORY")
    const env = await host.read("env")
    expect(env).toContain("ANTHROPIC_BASE_URL=http://127.0.0.1:9")
    expect(env).toContain("CLAUDE_CODE_DISABLE_CLAUDE_MDS=0")
    expect(env).not.toContain("SECRET")
  })

  test("[HOSTS-17] the host does not start in an untrusted folder unless the user allows it", async () => {
    await using host = await makeFixture(USAGE)
    expect(await host.ask(false)).toEqual({ kind: "not-trusted" })
    await expect(host.read("args")).rejects.toThrow("ENOENT")
    for (const folder of ["$ROOT/p", "$ROOT"]) {
      const state = JSON.stringify({ projects: { [folder]: { hasTrustDialogAccepted: true } } })
      await using trusted = await makeFixture(USAGE, { "home/.claude.json": state })
      expect(await trusted.ask(false)).toMatchObject({ kind: "answered" })
    }
    await using broken = await makeFixture(USAGE, { "home/.claude.json": "{" })
    expect(await broken.ask(false)).toEqual({ kind: "not-trusted" })
  })

  test("[HOSTS-17] no response, a refusal, a missing program and an abort are reported", async () => {
    await using silent = await makeFixture("nothing of use\n")
    expect(await silent.ask(true)).toEqual({
      kind: "failed",
      reason: "the host exited without a response",
    })
    await using refusing = await makeFixture(
      answered({ subtype: "error", error: "no such request" }),
    )
    expect(await refusing.ask(true)).toEqual({ kind: "failed", reason: "no such request" })
    await using mute = await makeFixture(answered({ subtype: "error" }))
    expect(await mute.ask(true)).toMatchObject({ reason: "the host refused the request" })
    expect(await silent.ask(true, { program: "/no/such/claude" })).toEqual({
      kind: "failed",
      reason: "the program was not found",
    })
    expect(await silent.ask(true, { signal: AbortSignal.abort() })).toEqual({
      kind: "failed",
      reason: "the query was cancelled",
    })
  })
})
