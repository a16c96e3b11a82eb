import fc from "fast-check"
import { parse } from "smol-toml"
import { describe, expect, it } from "vitest"
import type { HostName } from "#ground/contract"
import { type CodexProvider } from "#see/hosts"
import { fcParameters } from "#test/seed"
import {
  bypassingArgument,
  hostOfProgram,
  isFoldable,
  pointHostAt,
  upstreamOf,
  wireOf,
} from "./host-config.ts"

const URL_OF_OURS = "http://127.0.0.1:4000/t/abc"
const asked = (host: HostName | undefined, environment: Record<string, string> = {}) => ({
  host,
  wire: host === "codex" || host === "copilot" ? ("openai" as const) : ("anthropic" as const),
  environment,
})

type NamedProvider = Extract<CodexProvider, { kind: "named" }>
const named = (fields: NamedProvider["fields"]): NamedProvider => ({
  kind: "named",
  baseUrl: "https://model.example/v1",
  fields,
})
const tableFor = (codexProvider: CodexProvider | undefined) => {
  const given = { ...asked("codex", { OPENAI_API_KEY: "k" }), codexProvider }
  return parse(pointHostAt(URL_OF_OURS, given).args[3] ?? "")["model_providers"]
}

describe("host configuration", () => {
  it.each([
    ["claude", "claude-code"],
    ["/usr/local/bin/codex", "codex"],
    ["gemini.cmd", "gemini"],
    ["copilot", "copilot"],
    ["constructor", undefined],
    ["my-claude", undefined],
  ])("a host is recognised by its program name: %s", (program, host) => {
    expect(hostOfProgram(program)).toBe(host)
  })

  it("for an unknown program the user states the wire", () => {
    expect(() => wireOf(undefined, undefined, "tool")).toThrow(/The API format of tool/)
    expect(wireOf(undefined, "gemini", "tool")).toBe("gemini")
    expect(() => wireOf("antigravity", undefined, "agy")).toThrow(/cannot use the gateway/)
    const hosts = ["claude-code", "codex", "copilot", "gemini"] as const
    expect(hosts.map((it) => wireOf(it, undefined, it))).toEqual([
      "anthropic",
      "openai",
      "openai",
      "gemini",
    ])
  })

  it("[GATE-81] each host gets the proxy address in its own format, for its process only", () => {
    const word = (...given: Parameters<typeof pointHostAt>) => {
      const { NO_PROXY, no_proxy, ...environment } = pointHostAt(...given).environment
      expect([NO_PROXY, no_proxy]).toEqual(["127.0.0.1,localhost", "127.0.0.1,localhost"])
      return environment
    }
    expect(word(URL_OF_OURS, asked("claude-code"))).toEqual({ ANTHROPIC_BASE_URL: URL_OF_OURS })
    expect(word(URL_OF_OURS, asked("copilot"))).toEqual({ COPILOT_PROVIDER_BASE_URL: URL_OF_OURS })
    expect(word(URL_OF_OURS, { ...asked("gemini"), wire: "gemini" })).toEqual({
      GOOGLE_GEMINI_BASE_URL: URL_OF_OURS,
    })
    expect(word(URL_OF_OURS, { ...asked(undefined), wire: "openai" })).toEqual({
      OPENAI_BASE_URL: URL_OF_OURS,
    })
    const codex = {
      ...asked("codex"),
      codexProvider: named({ env_key: "MODEL_KEY" }),
    }
    expect(word(URL_OF_OURS, codex)).toEqual({})
    expect(pointHostAt(URL_OF_OURS, codex).args.filter((it) => it !== "-c")).toEqual([
      'model_provider="qm"',
      `model_providers.qm={name="Quartermaster gateway",env_key="MODEL_KEY",base_url="${URL_OF_OURS}",wire_api="responses"}`,
    ])
    expect(pointHostAt(URL_OF_OURS, asked("claude-code")).args).toEqual([])
  })

  it("[GATE-81] Codex authenticates as its own provider does, and never with another provider's key", () => {
    const fields = {
      name: "Acme",
      env_http_headers: { "api-key": "ACME_KEY" },
      query_params: { "api version": "1" },
      request_max_retries: 0,
    }
    const ours = { base_url: URL_OF_OURS, wire_api: "responses" }
    expect(tableFor(named(fields))).toEqual({ qm: { ...fields, ...ours } })
    const openai = { name: "Quartermaster gateway", env_key: "OPENAI_API_KEY", ...ours }
    expect(tableFor(undefined)).toEqual({ qm: openai })
    expect(tableFor({ kind: "openai", baseUrl: "https://eu.example/v1" })).toEqual({ qm: openai })
  })

  it("[GATE-81] any value of a Codex field stays a string", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\u007F", '"', "\\", "\n"))
    fc.assert(
      fc.property(text, text, (name, value) => {
        const table = tableFor(named({ name: value, query_params: { [`${name}.`]: value } }))
        expect(table).toMatchObject({
          qm: { name: value, base_url: URL_OF_OURS, query_params: { [`${name}.`]: value } },
        })
      }),
      fcParameters({ numRuns: 200 }),
    )
  })

  it("[GATE-81] the user's HTTPS_PROXY stays and does not apply to loopback", () => {
    const given = asked("claude-code", { no_proxy: "intern.example" })
    expect(pointHostAt(URL_OF_OURS, given).environment).toMatchObject({
      NO_PROXY: "intern.example,127.0.0.1,localhost",
      no_proxy: "intern.example,127.0.0.1,localhost",
    })
  })

  it.each([
    [["exec", "hello"], undefined],
    [["exec", "-c", 'model_provider="mine"', "hello"], 'model_provider="mine"'],
    [["--config=model_providers.x.base_url=1"], "--config=model_providers.x.base_url=1"],
    [["--oss", "exec"], "--oss"],
    [["--profile", "local"], "--profile"],
    [["-c", "model=gpt-5.5", "say model_provider"], undefined],
  ])("[GATE-81] arguments that would redirect Codex elsewhere are detected: %j", (args, found) => {
    expect(bypassingArgument("codex", args)).toBe(found)
    expect(bypassingArgument("claude-code", args)).toBeUndefined()
  })

  it("[GATE-82] the upstream is the provider, or the one that the user's environment names", () => {
    expect(upstreamOf(asked("claude-code")).href).toBe("https://api.anthropic.com/")
    const own = { ANTHROPIC_BASE_URL: "https://models.example/anthropic" }
    expect(upstreamOf(asked("claude-code", own)).href).toBe("https://models.example/anthropic")
    const local = { ANTHROPIC_BASE_URL: "http://127.0.0.1:9999" }
    expect(upstreamOf(asked("claude-code", local)).port).toBe("9999")
    expect(upstreamOf(asked("codex", { OPENAI_API_KEY: "k" })).href).toBe(
      "https://api.openai.com/v1",
    )
    expect(upstreamOf({ ...asked("gemini"), wire: "gemini" }).host).toContain("googleapis")
    const copilot = { COPILOT_PROVIDER_BASE_URL: "https://models.example/v1" }
    expect(upstreamOf(asked("copilot", copilot)).pathname).toBe("/v1")
    expect(upstreamOf({ ...asked(undefined), wire: "openai" }).pathname).toBe("/v1")
  })

  it.each([
    "http://models.example",
    "http://127.0.0.1.models.example",
    "https://user:word@models.example",
    "ftp://models.example",
    "not an address",
  ])("[GATE-82] %s is refused as upstream", (address) => {
    const environment = { ANTHROPIC_BASE_URL: address }
    expect(() => upstreamOf(asked("claude-code", environment))).toThrow(
      expect.objectContaining({ code: "GATEWAY_UPSTREAM_UNUSABLE" }),
    )
  })

  it("[GATE-82] Codex's upstream is its provider or the OpenAI address; otherwise it is refused", () => {
    const environment = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://other.example/v1" }
    const to = (codexProvider: CodexProvider, given: Record<string, string> = environment) =>
      upstreamOf({ ...asked("codex", given), codexProvider }).host
    expect(to(named({}), {})).toBe("model.example")
    const openai = { kind: "openai", baseUrl: "https://eu.example/v1" } as const
    expect(to(openai)).toBe("eu.example")
    expect(() => to(openai, {})).toThrow(/OPENAI_API_KEY/)
    expect(() => to({ kind: "refused", reason: "it is so" })).toThrow(
      expect.objectContaining({
        code: "GATEWAY_HOST_NOT_SUPPORTED",
        formerCode: "GATEWAY_HOST_NOT_CARRIED",
        message: expect.stringContaining("it is so"),
      }),
    )
  })

  it("[GATE-82] a host without its required configuration states what is missing", () => {
    expect(() => upstreamOf(asked("codex"))).toThrow(/OPENAI_API_KEY/)
    expect(() => upstreamOf(asked("copilot"))).toThrow(/COPILOT_PROVIDER_BASE_URL/)
  })

  it("[GATE-83] only wires whose rules were measured are folded", () => {
    const hosts = ["claude-code", "codex", "copilot", "gemini", undefined] as const
    expect(hosts.map(isFoldable)).toEqual([true, true, false, false, true])
  })
})
