import { describe, expect, it } from "vitest"
import { AGENT_TYPES, AgentMode, GATEWAY_MODES, OPERATIONS } from "#ground/contract"
import { TYPES } from "../../../base/agent-types.ts"
import { checkDraft, emptyDraft, GATEWAYS, MODES, problemsOf, readNumber } from "./launch-draft.ts"

const draft = emptyDraft({ type: null, mode: null })
const wire = (code: string, data: object) => ({ code, message: "No.", hint: "Do.", data })

describe("form that starts a run", () => {
  it("agents and modes equal those of the contract, and each mode has a description", () => {
    expect(TYPES).toEqual([...AGENT_TYPES])
    expect(MODES.map((it) => it.value)).toEqual(AgentMode.options)
    expect(MODES.filter((it) => it.description.length < 20)).toEqual([])
  })

  it("empty fields are omitted, and the input matches the contract", () => {
    const least = checkDraft({ ...draft, prompt: "test" })
    expect(least).toEqual({
      kind: "right",
      input: { prompt: "test", type: "claude-code", mode: "ask" },
    })
    const most = checkDraft({
      prompt: "--help",
      type: "synthetic",
      mode: "auto",
      model: " opus ",
      cwd: "src",
      budgetUsd: "$2.50",
      budgetTokens: "200k",
      sources: "tide, mail",
      script: "happy",
      pack: " pk_1 ",
      gateway: "record",
      resume: " 0f3c ",
    })
    if (most.kind !== "right") throw new Error("expected a right draft")
    expect(OPERATIONS["agents.start"].input.parse(most.input)).toMatchObject({
      prompt: "--help",
      model: "opus",
      budgetUsd: 2.5,
      budgetTokens: 200_000,
      sources: ["tide", "mail"],
      script: "happy",
      pack: "pk_1",
      gateway: "record",
      resume: "0f3c",
    })
  })

  it("gateway modes equal those of the contract, and each has a description", () => {
    expect(GATEWAYS.map((it) => it.value)).toEqual(["", ...GATEWAY_MODES])
    expect(GATEWAYS.filter((it) => it.description.length < 20)).toEqual([])
    const gatewayOf = (gateway: (typeof GATEWAYS)[number]["value"]) => {
      const checked = checkDraft({ ...draft, prompt: "x", gateway })
      return checked.kind === "right" ? checked.input.gateway : "wrong"
    }
    expect(GATEWAYS.map((it) => gatewayOf(it.value))).toEqual([undefined, ...GATEWAY_MODES])
  })

  it("a script is sent for the synthetic agent only", () => {
    const checked = checkDraft({ ...draft, prompt: "x", script: "happy" })
    expect(checked.kind === "right" && "script" in checked.input).toBe(false)
  })

  it.each([
    [{ prompt: "  " }, ["prompt"]],
    [{ prompt: "x", budgetUsd: "-1" }, ["budgetUsd"]],
    [{ prompt: "x", budgetUsd: "0" }, ["budgetUsd"]],
    [{ prompt: "x", budgetTokens: "1.5" }, ["budgetTokens"]],
    [{ prompt: "", budgetTokens: "much" }, ["prompt", "budgetTokens"]],
  ])("the draft %j has problems in %j", (overrides, fields) => {
    const checked = checkDraft({ ...draft, ...overrides })
    expect(checked.kind === "wrong" ? Object.keys(checked.problems) : []).toEqual(fields)
  })

  it("numbers accept k, M, commas and decimals", () => {
    expect(["200k", "1.5M", "1,000", ".5", " 7 "].map(readNumber)).toEqual([
      200_000, 1_500_000, 1_000, 0.5, 7,
    ])
    expect(["1e9", "k", "--5", ""].map(readNumber)).toEqual(Array(4).fill(Number.NaN))
  })

  it("a server error is shown beside its field, or at the form", () => {
    expect(problemsOf(wire("AGENTS_DIRECTORY_UNUSABLE", { path: "/" }))).toEqual({ cwd: "No." })
    expect(problemsOf(wire("AGENTS_PROGRAM_MISSING", {}))).toEqual({ type: "No." })
    expect(problemsOf(wire("PACK_UNKNOWN", { id: "pk_9" }))).toEqual({ pack: "No." })
    const problem = "budgetTokens: expected a whole number"
    expect(problemsOf(wire("APP_INPUT_INVALID", { problem }))).toEqual({ budgetTokens: "No." })
    expect(problemsOf(wire("STORE_DISK_FULL", {}))).toEqual({})
  })

  it("the agent and mode of the previous start are preselected", () => {
    expect(emptyDraft({ type: "codex", mode: "plan" })).toMatchObject({
      type: "codex",
      mode: "plan",
    })
    expect(emptyDraft({ type: "emacs", mode: "yolo" })).toEqual(draft)
    const prefill = { agent: "gemini", resume: "0f3c", cwd: "/r/web" }
    expect(emptyDraft({ type: "codex", mode: "plan" }, prefill)).toMatchObject({
      type: "gemini",
      mode: "plan",
      resume: "0f3c",
      cwd: "/r/web",
    })
  })
})
