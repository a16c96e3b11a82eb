import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import path from "node:path"
import { text } from "node:stream/consumers"
import { describe, expect, test } from "vitest"
import { systemClock } from "#ground/base"
import {
  AgentsContext,
  AgentsMessages,
  Capture,
  FoldBranch,
  GatewayList,
  GatewayShow,
  Run,
} from "#ground/contract"
import { tempDirectory } from "#test/temp"
import { createApp } from "../app.ts"
import { proxyRuns } from "./gateway.ts"

const { signal } = new AbortController()

/** A user with a project, and a provider that always sends the same response. */
async function newFixture(settings: readonly string[] = []) {
  const temp = await tempDirectory()
  const [home, project] = [path.join(temp.path, "home"), path.join(temp.path, "project")]
  await mkdir(path.join(home, ".codex"), { recursive: true })
  await mkdir(project)
  const heard: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      heard.push(`${request.url} ${body.length}`)
      response.writeHead(200, { "content-type": "application/json" })
      const usage = { input_tokens: 40, output_tokens: 4, cache_read_input_tokens: 60 }
      response.end(JSON.stringify({ model: "claude-opus-5-5", usage }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const environment = {
    PATH: process.env["PATH"],
    HOME: home,
    QM_HOME: path.join(temp.path, "qm"),
    ANTHROPIC_BASE_URL: url,
  }
  const app = await createApp({ directory: project, environment, settings, writeLog: () => {} })
  return {
    app,
    home,
    project,
    url,
    heard,
    environment,
    call: (name: string, input: object) => app.call(name, input, { signal }),
    proxy: (more: Partial<Parameters<typeof app.proxySession>[0]> = {}) =>
      app.proxySession({
        run: null,
        title: "claude",
        host: "claude-code",
        mode: "record",
        hasContent: false,
        workingDirectory: project,
        environment,
        tell: () => {},
        ...more,
      }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await temp[Symbol.asyncDispose]()
    },
  }
}

async function post(base: string, messages: readonly unknown[], tools: readonly unknown[] = []) {
  const headers = { "x-api-key": "key", "x-claude-code-session-id": "s-1" }
  const body = JSON.stringify({ model: "claude-opus-5-5", messages, tools })
  await fetch(`${base}/v1/messages`, { method: "POST", headers, body }).then((it) => it.text())
}

const INSTRUCTIONS = (file: string, words: string) => ({
  type: "text",
  text:
    "<system-reminder>\nCodebase and user instructions are shown below. Be sure to adhere to " +
    "these instructions. IMPORTANT: These instructions OVERRIDE any default behavior and you MUST " +
    `follow them exactly as written.\n\nContents of ${file} (project instructions, checked into ` +
    `the codebase):\n\n${words}\n</system-reminder>`,
})

describe("gateway", () => {
  test("[APP-41] a synthetic run sends no request, and reports that it cannot be proxied", async () => {
    await using fixture = await newFixture()
    const input = { type: "synthetic", prompt: "go", gateway: "record" }
    const { id } = Run.parse(await fixture.call("agents.start", input))
    for (;;) {
      const run = Run.parse(await fixture.call("agents.show", { id }))
      if (["completed", "failed"].includes(run.status)) break
      await systemClock.sleep(5)
    }
    const { messages } = AgentsMessages.parse(await fixture.call("agents.messages", { id }))
    expect(messages.map((it) => it.content).join("\n")).toContain("calls no model")
    expect(GatewayList.parse(await fixture.call("gateway.list", {})).sessions).toEqual([])
  })

  test("[APP-41] a run is proxied if its input or the user's settings ask for it", async () => {
    await using fixture = await newFixture(["gateway.mode=record"])
    const started = await fixture.call("agents.start", { type: "synthetic", prompt: "go" })
    const run = { ...Run.parse(started), type: "claude-code" as const }
    const deps = {
      config: fixture.app.config,
      gateway: async () => ({ proxySession: async (wanted: object) => wanted }) as never,
    }
    const proxyRun = proxyRuns(deps)
    const tell = () => {}
    const environment = { HOME: fixture.home, ANTHROPIC_BASE_URL: fixture.url }
    expect(await proxyRun({ run, mode: "off", environment, tell })).toBeUndefined()
    const bySetting = await proxyRun({ run, mode: undefined, environment, tell })
    expect(bySetting).toMatchObject({ mode: "record", run: run.id, wire: "anthropic" })
    expect(await proxyRun({ run, mode: "fold", environment, tell })).toMatchObject({ mode: "fold" })
  })

  test("[APP-42] a run's context has the provider's token counts, and they are deleted with the run", async () => {
    await using fixture = await newFixture()
    const { id } = Run.parse(
      await fixture.call("agents.start", { type: "synthetic", prompt: "go" }),
    )
    const proxied = await fixture.proxy({ run: id })
    const base = proxied.environment["ANTHROPIC_BASE_URL"] ?? ""
    await post(base, [{ role: "user", content: "hello" }], [{ name: "Read", input_schema: {} }])
    await proxied.end()
    const context = AgentsContext.parse(await fixture.call("agents.context", { id }))
    expect(context.wire).toMatchObject({
      used: 100,
      proxiedSession: proxied.id,
      seq: 1,
      savedTokens: 0,
    })
    expect(context.wire?.kinds.reduce((sum, it) => sum + it.tokens, 0)).toBe(100)
    expect(GatewayShow.parse(await fixture.call("gateway.show", { id })).requests).toHaveLength(1)
    await fixture.call("agents.stop", { id }).catch(() => {})
    await fixture.call("agents.delete", { id })
    expect(GatewayList.parse(await fixture.call("gateway.list", {})).sessions).toEqual([])
  })

  test("[APP-43] a capture is compared with the newest recorded request of its folder", async () => {
    await using fixture = await newFixture()
    const file = path.join(fixture.project, "CLAUDE.md")
    await writeFile(file, "Be calm.\n")
    const proxied = await fixture.proxy()
    const base = proxied.environment["ANTHROPIC_BASE_URL"] ?? ""
    const content = [INSTRUCTIONS(file, "Be calm."), { type: "text", text: "go" }]
    await post(base, [{ role: "user", content }], [{ name: "Read", input_schema: {} }])
    await proxied.end()
    const { observation } = Capture.parse(await fixture.call("capture.take", { save: false }))
    expect(observation).toMatchObject({ by: "wire", session: "s-1", agreed: 1, compared: 1 })
    expect(observation?.files[0]).toMatchObject({ path: file, state: "both", sameText: true })
  })

  test("[APP-44] Codex uses the provider of the user's config, not the repository's", async () => {
    await using fixture = await newFixture()
    const provider = `[model_providers.m]\nname = "m"\nbase_url = "${fixture.url}/v1"\nenv_key = "MODEL_KEY"\n`
    await writeFile(
      path.join(fixture.home, ".codex", "config.toml"),
      `model_provider = "m"\n${provider}`,
    )
    const proxied = await fixture.proxy({ host: "codex", title: "codex" })
    const given = proxied.args.join(" ")
    expect(given).toContain('env_key="MODEL_KEY"')
    const base = /base_url="([^"]+)"/.exec(given)?.[1] ?? ""
    await fetch(`${base}/responses`, { method: "POST", body: "{}" }).then((it) => it.text())
    await proxied.end()
    expect(fixture.heard).toEqual(["/v1/responses 2"])
  })

  test("[APP-44] a provider setting that cannot be preserved refuses the proxied session, even with an OpenAI key", async () => {
    await using fixture = await newFixture()
    await writeFile(path.join(fixture.home, ".codex", "config.toml"), 'model_provider = "ollama"\n')
    const environment = { ...fixture.environment, OPENAI_API_KEY: "key" }
    const proxying = fixture.proxy({ host: "codex", title: "codex", environment })
    await expect(proxying).rejects.toMatchObject({
      code: "GATEWAY_HOST_NOT_SUPPORTED",
      message: expect.stringContaining("model_providers.ollama.base_url"),
    })
    expect(GatewayList.parse(await fixture.call("gateway.list", {})).sessions).toEqual([])
  })

  test("[APP-44] without a provider and without a key Codex is not proxied", async () => {
    await using fixture = await newFixture()
    await writeFile(path.join(fixture.home, ".codex", "config.toml"), 'model = "gpt-5.5"\n')
    const proxying = fixture.proxy({ host: "codex", title: "codex" })
    await expect(proxying).rejects.toThrow(/OPENAI_API_KEY/)
  })

  test("[APP-45] a branch is opened for folding only in a proxied session", async () => {
    await using fixture = await newFixture()
    const caller = { principal: "owner", session: "s-1", client: "claude-code" }
    const input = { description: "d", prompt: "p" }
    const open = async () =>
      FoldBranch.parse(await fixture.app.call("fold.branch", input, { signal, caller }))
    expect((await open()).mode).toBe("sub-agent")
    const proxied = await fixture.proxy({ mode: "fold" })
    const base = proxied.environment["ANTHROPIC_BASE_URL"] ?? ""
    await post(base, [{ role: "user", content: "hello" }])
    const opened = await open()
    expect(opened.mode).toBe("wire")
    expect(opened.receipt).toMatch(/^qm-open:br_/)
    await proxied.end()
    expect((await open()).mode).toBe("sub-agent")
  })
})
