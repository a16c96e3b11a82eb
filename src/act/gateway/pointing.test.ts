import { describe, expect, it } from "vitest"
import type { HostName } from "#ground/contract"
import { hostOfProgram, isFoldable, pointAt, upstreamOf, wireOf } from "./pointing.ts"

const URL_OF_OURS = "http://127.0.0.1:4000/t/abc"
const asked = (host: HostName | undefined, environment: Record<string, string> = {}) => ({
  host,
  wire: host === "codex" || host === "copilot" ? ("openai" as const) : ("anthropic" as const),
  environment,
})

describe("where requests go", () => {
  it.each([
    ["claude", "claude-code"],
    ["/usr/local/bin/codex", "codex"],
    ["gemini.cmd", "gemini"],
    ["copilot", "copilot"],
    ["constructor", undefined],
    ["my-claude", undefined],
  ])("[GATE-80] a program is known by its name: %s", (program, host) => {
    expect(hostOfProgram(program)).toBe(host)
  })

  it("[GATE-80] of an unknown program a person says in whose words it speaks", () => {
    expect(() => wireOf(undefined, undefined)).toThrow(/not known/)
    expect(wireOf(undefined, "gemini")).toBe("gemini")
    expect(() => wireOf("antigravity", undefined)).toThrow(/cannot go through/)
    const hosts = ["claude-code", "codex", "copilot", "gemini"] as const
    expect(hosts.map((it) => wireOf(it, undefined))).toEqual([
      "anthropic",
      "openai",
      "openai",
      "gemini",
    ])
  })

  it("[GATE-81] each host is told in its own words, for its process alone", () => {
    const word = (...given: Parameters<typeof pointAt>) => {
      const { NO_PROXY, no_proxy, ...environment } = pointAt(...given).environment
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
      codexProvider: { baseUrl: "https://model.example/v1", keyVariable: "MODEL_KEY" },
    }
    expect(word(URL_OF_OURS, codex)).toEqual({})
    expect(pointAt(URL_OF_OURS, codex).args.filter((it) => it !== "-c")).toEqual([
      'model_provider="qm"',
      `model_providers.qm={name="Quartermaster gateway",base_url="${URL_OF_OURS}",env_key="MODEL_KEY",wire_api="responses"}`,
    ])
    expect(pointAt(URL_OF_OURS, asked("claude-code")).args).toEqual([])
  })

  it("[GATE-81] a proxy of the person's stays theirs, and is not for this machine", () => {
    const given = asked("claude-code", { no_proxy: "intern.example" })
    expect(pointAt(URL_OF_OURS, given).environment).toMatchObject({
      NO_PROXY: "intern.example,127.0.0.1,localhost",
      no_proxy: "intern.example,127.0.0.1,localhost",
    })
  })

  it("[GATE-82] the upstream is the provider, or what the person's own environment names", () => {
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
  ])("[GATE-82] %s is no upstream", (address) => {
    const environment = { ANTHROPIC_BASE_URL: address }
    expect(() => upstreamOf(asked("claude-code", environment))).toThrow(/only https/)
  })

  it("[GATE-82] a host that lacks what it would need says what that is", () => {
    expect(() => upstreamOf(asked("codex"))).toThrow(/OPENAI_API_KEY/)
    expect(() => upstreamOf(asked("copilot"))).toThrow(/COPILOT_PROVIDER_BASE_URL/)
  })

  it("[GATE-83] only wires whose rules were measured are folded", () => {
    const hosts = ["claude-code", "codex", "copilot", "gemini", undefined] as const
    expect(hosts.map(isFoldable)).toEqual([true, true, false, false, true])
  })
})
