import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  CONTEXT_KINDS,
  DEPTHS,
  HOOK_NAMES,
  HOST_NAMES,
  KB_TIERS,
  MEMORY_KINDS,
  MemoryState,
  VERDICTS,
} from "#ground/contract"
import { withSeed } from "../test-seed.ts"
import { KINDS } from "../ui/budget-bar/layout.ts"
import { parseAgents, TABS_OF_AGENTS } from "./agents-search.ts"
import { parseDecisions } from "./decisions-search.ts"
import { parseFold } from "./fold-search.ts"
import { gatewayIdAt, parseGateway } from "./gateway-search.ts"
import { HOURS_OF_GUARD, parseGuard, RULES_OF_GUARD, VERDICTS_OF_GUARD } from "./guard-search.ts"
import { parseKnowledge, TIERS_OF_KNOWLEDGE } from "./knowledge-search.ts"
import { parseMap } from "./map-search.ts"
import { KINDS_OF_MEMORY, parseMemory, STATES_OF_MEMORY } from "./memory-search.ts"
import { parsePack } from "./pack-search.ts"
import {
  HOSTS,
  parseCapture,
  parseEvents,
  parseRun,
  parseRuns,
  parseSettings,
  paths,
  runIdAt,
} from "./paths.ts"
import { parsePipeline, pipelineIdAt } from "./pipeline-search.ts"
import { DEPTHS_OF_PIPELINES, FACETS_OF_PIPELINES, parsePipelines } from "./pipelines-search.ts"
import { parseSessions, TABS_OF_SESSIONS } from "./sessions-search.ts"

const searchOf = (path: string) =>
  path.slice(path.indexOf("?") < 0 ? path.length : path.indexOf("?"))

describe("addresses", () => {
  it("[CONSOLE-3] what an address says is read back, for every state of Events", () => {
    const state = fc.record({
      name: fc.string(),
      text: fc.string({ unit: "grapheme" }),
      at: fc.option(fc.nat()),
      until: fc.option(fc.nat()),
      view: fc.constantFrom("fields" as const, "raw" as const),
    })
    fc.assert(
      fc.property(state, (search) => {
        expect(parseEvents(searchOf(paths.events(search)))).toEqual(search)
      }),
      withSeed(),
    )
  })

  it("[CONSOLE-3] and for every state of Settings", () => {
    const state = fc.record({
      text: fc.string(),
      layer: fc.constantFrom("user" as const, "project" as const),
      at: fc.string(),
    })
    fc.assert(
      fc.property(state, (search) => {
        expect(parseSettings(searchOf(paths.settings(search)))).toEqual(search)
      }),
      withSeed(),
    )
  })

  it("[CONSOLE-3] and for every state of Folds", () => {
    const state = fc.record({
      text: fc.string({ unit: "grapheme" }),
      all: fc.boolean(),
      closed: fc.array(fc.string({ minLength: 1 })),
      at: fc.string(),
      show: fc.string(),
      tab: fc.constantFrom("result" as const, "trail", "prompt", "restored"),
      step: fc.option(fc.nat()),
    })
    fc.assert(
      fc.property(state, (search) => {
        expect(parseFold(searchOf(paths.folds(search)))).toEqual(search)
      }),
      withSeed(),
    )
  })

  it("[CONSOLE-3] and for every state of Memory, whose kinds and states are the contract's", () => {
    const state = fc.record({
      text: fc.string({ unit: "grapheme" }),
      kind: fc.option(fc.constantFrom(...KINDS_OF_MEMORY)),
      state: fc.option(fc.constantFrom(...STATES_OF_MEMORY)),
      at: fc.string(),
      show: fc.string(),
      add: fc.boolean(),
    })
    fc.assert(
      fc.property(state, (search) => {
        expect(parseMemory(searchOf(paths.memory(search)))).toEqual(search)
      }),
      withSeed(),
    )
    expect([KINDS_OF_MEMORY, STATES_OF_MEMORY]).toEqual([MEMORY_KINDS, MemoryState.options])
    expect(parseMemory("?kind=zz&state=1&add=true")).toEqual(parseMemory(""))
  })

  it("[CONSOLE-3] and for every state of Guard, whose rules and verdicts are the contract's", () => {
    const state = fc.record({
      text: fc.string({ unit: "grapheme" }),
      verdict: fc.option(fc.constantFrom(...VERDICTS_OF_GUARD)),
      rule: fc.option(fc.constantFrom(...RULES_OF_GUARD)),
      session: fc.string({ unit: "grapheme" }),
      hours: fc.constantFrom(...HOURS_OF_GUARD),
      at: fc.string(),
      show: fc.string(),
      trying: fc.boolean(),
      patterns: fc.string(),
    })
    fc.assert(
      fc.property(state, (search) => {
        expect(parseGuard(searchOf(paths.guard(search)))).toEqual(search)
      }),
      withSeed(),
    )
    expect([RULES_OF_GUARD, VERDICTS_OF_GUARD]).toEqual([HOOK_NAMES, VERDICTS])
    expect(parseGuard("?rule=zz&verdict=1&hours=5&try=true")).toEqual(parseGuard(""))
  })

  it("[CONSOLE-3] and for every state of Sessions and Decisions", () => {
    const text = fc.string({ unit: "grapheme" })
    const sessions = fc.record({
      tab: fc.constantFrom(...TABS_OF_SESSIONS),
      text,
      at: text,
      show: text,
    })
    const decisions = fc.record({ text, at: text, show: text, add: fc.boolean() })
    fc.assert(
      fc.property(sessions, decisions, (one, other) => {
        expect(parseSessions(searchOf(paths.sessions(one)))).toEqual(one)
        expect(parseDecisions(searchOf(paths.decisions(other)))).toEqual(other)
      }),
      withSeed(),
    )
    expect(parseSessions("?tab=zz")).toEqual(parseSessions(""))
  })

  it("[CONSOLE-3] and for every state of Gateway, whose run is in its path", () => {
    const text = fc.string({ unit: "grapheme" })
    const state = fc.record({
      who: fc.constantFrom("all" as const, "main" as const, "agents" as const),
      all: fc.boolean(),
      at: text,
      tab: fc.constantFrom("held" as const, "exact" as const, "headers" as const),
      find: text,
      from: fc.option(fc.nat()),
      piece: fc.option(fc.nat()),
    })
    fc.assert(
      fc.property(state, fc.string({ minLength: 1 }), (search, id) => {
        expect(parseGateway(searchOf(paths.gateway("rn_1", search)))).toEqual(search)
        expect(gatewayIdAt(paths.gateway(id))).toBe(id)
        expect(runIdAt(paths.gateway(id)), "it is no page of a run").toBeUndefined()
      }),
      withSeed(),
    )
    expect(parseGateway("?tab=zz&who=nobody&from=-1")).toEqual(parseGateway(""))
    expect(gatewayIdAt("/runs/a%/gateway"), "a stray % is itself").toBe("a%")
  })

  it("[CONSOLE-3] and for every state of Pipelines and of one pipeline", () => {
    const text = fc.string({ unit: "grapheme" })
    const list = fc.record({
      text,
      agent: text,
      status: fc.constantFrom(...FACETS_OF_PIPELINES),
      at: text,
      add: fc.boolean(),
      start: text,
    })
    const filled = fc.array(fc.string({ minLength: 1 }))
    const one = fc.record({
      at: text,
      turned: filled,
      other: text,
      compare: fc.boolean(),
      open: filled,
    })
    fc.assert(
      fc.property(list, one, fc.string({ minLength: 1 }), (search, shown, id) => {
        expect(parsePipelines(searchOf(paths.pipelines(search)))).toEqual(search)
        expect(parsePipeline(searchOf(paths.pipeline("p-1", shown)))).toEqual(shown)
        expect(pipelineIdAt(paths.pipeline(id))).toBe(id)
      }),
      withSeed(),
    )
    expect(DEPTHS_OF_PIPELINES).toEqual(DEPTHS)
    expect(parsePipelines("?status=zz&add=true")).toEqual(parsePipelines(""))
    expect([pipelineIdAt("/pipelines"), pipelineIdAt("/pipelines/%")]).toEqual([undefined, "%"])
  })

  it("[CONSOLE-3] and for every state of Agents and Knowledge, whose tiers are the contract's", () => {
    const text = fc.string({ unit: "grapheme" })
    const agents = fc.record({
      text,
      at: text,
      show: text,
      tab: fc.constantFrom(...TABS_OF_AGENTS),
    })
    const knowledge = fc.record({
      text,
      tier: fc.option(fc.constantFrom(...TIERS_OF_KNOWLEDGE)),
      hops: fc.boolean(),
      at: text,
      show: text,
      document: text,
      add: fc.boolean(),
    })
    fc.assert(
      fc.property(agents, knowledge, (one, other) => {
        expect(parseAgents(searchOf(paths.agents(one)))).toEqual(one)
        expect(parseKnowledge(searchOf(paths.knowledge(other)))).toEqual(other)
      }),
      withSeed(),
    )
    expect(TIERS_OF_KNOWLEDGE).toEqual(KB_TIERS)
    expect(parseKnowledge("?tier=zz&hops=1")).toEqual(parseKnowledge(""))
  })

  it("[CONSOLE-3] and for every state of Capture", () => {
    const state = fc.record({
      host: fc.constantFrom(...HOSTS),
      dir: fc.string(),
      id: fc.string(),
      tab: fc.constantFrom("loads", "found", "settings", "biggest", "diff"),
      at: fc.string({ unit: "grapheme" }),
      view: fc.constantFrom("text", "diff", "raw"),
      open: fc.boolean(),
      kind: fc.option(fc.constantFrom(...KINDS)),
      turned: fc.array(fc.string({ minLength: 1 })),
      from: fc.string(),
      to: fc.string(),
    })
    fc.assert(
      fc.property(state, (search) => {
        expect(parseCapture(searchOf(paths.capture(search)))).toEqual(search)
      }),
      withSeed(),
    )
  })

  it("[CONSOLE-3] and for every state of Pack", () => {
    const text = fc.string({ unit: "grapheme" })
    const list = fc.uniqueArray(fc.string({ minLength: 1 }))
    const state = fc.record({
      task: text,
      budget: fc.option(fc.nat()),
      role: text,
      pins: list,
      drops: list,
      full: list,
      symbols: list,
      signatures: list,
      mention: list,
      order: list,
      at: text,
      pane: fc.constantFrom("candidates", "chosen", "preview"),
      tab: fc.constantFrom("summary", "markdown", "xml", "json"),
      kind: fc.option(fc.constantFrom("files", "symbols")),
      turned: list,
      id: text,
      compare: fc.boolean(),
      from: text,
      to: text,
    })
    fc.assert(
      fc.property(state, (search) => {
        expect(parsePack(searchOf(paths.pack(search)))).toEqual(search)
      }),
      withSeed(),
    )
    expect(parsePack("?pane=x&tab=y&kind=z&budget=-1&compare=1")).toEqual(parsePack(""))
    expect(parsePack("?pin=a&pin=a&pin=").pins).toEqual(["a"])
  })

  it("[CONSOLE-3] and for every state of Map", () => {
    const state = fc.record({
      text: fc.string({ unit: "grapheme" }),
      by: fc.constantFrom("words", "path"),
      open: fc.array(fc.string({ minLength: 1 })),
      at: fc.string({ unit: "grapheme" }),
      show: fc.string({ unit: "grapheme" }),
      tab: fc.constantFrom("symbols", "imports", "importers", "changed"),
      hops: fc.constantFrom(1, 2),
    })
    fc.assert(
      fc.property(state, (search) => {
        expect(parseMap(searchOf(paths.map(search)))).toEqual(search)
      }),
      withSeed(),
    )
    expect(parseMap("?hops=9&by=x&tab=y")).toEqual(parseMap(""))
  })

  it("[CONSOLE-3] and for every state of Runs and of one run", () => {
    const runs = fc.record({
      view: fc.constantFrom("list", "approvals", "permissions"),
      text: fc.string({ unit: "grapheme" }),
      status: fc.constantFrom("all", "waiting", "live", "completed", "failed", "stopped"),
      label: fc.string(),
      workflow: fc.string(),
      archived: fc.boolean(),
      at: fc.string(),
      beside: fc.option(fc.constantFrom("peek", "new")),
      prompt: fc.string({ unit: "grapheme" }),
      pack: fc.string(),
    })
    fc.assert(
      fc.property(runs, (search) => {
        expect(parseRuns(searchOf(paths.runs(search)))).toEqual(search)
      }),
      withSeed(),
    )
    const id = fc.string({ unit: "grapheme", minLength: 1 }).filter((it) => it.isWellFormed())
    fc.assert(
      fc.property(id, (it) => {
        const path = paths.run(it, { at: 7 })
        expect(runIdAt(path.slice(0, path.indexOf("?")))).toBe(it)
        expect(parseRun(searchOf(path)).at).toBe(7)
      }),
      withSeed(),
    )
    expect([runIdAt("/runs"), runIdAt("/runs/a/b"), runIdAt("/runs/%E0")]).toEqual([
      undefined,
      undefined,
      "%E0",
    ])
  })

  it("[CONSOLE-3] hosts and kinds in an address are those of the contract", () => {
    expect([...HOSTS]).toEqual([...HOST_NAMES])
    expect([...KINDS]).toEqual([...CONTEXT_KINDS])
    expect(parseCapture("?host=emacs&tab=x&view=y&open=1&kind=z")).toEqual(parseCapture(""))
  })

  it("[CONSOLE-3] defaults are not written", () => {
    expect(paths.capture(parseCapture(""))).toBe("/capture")
    expect(paths.runs(parseRuns("?status=odd&view=odd&beside=odd"))).toBe("/runs")
    expect(paths.run("rn_1", parseRun(""))).toBe("/runs/rn_1")
    expect(paths.events()).toBe("/events")
    expect(paths.events(parseEvents(""))).toBe("/events")
    expect(paths.settings({ layer: "user", text: "" })).toBe("/settings")
  })

  it.each([
    ["?at=seven&until=-1&view=upside-down", { at: null, until: null, view: "fields" }],
    ["?at=1e9", { at: null }],
    ["?at=99999999999999999999", { at: null }],
    ["?at=12&at=13", { at: 12 }],
  ])("[CONSOLE-3] what means nothing is read as its default: %s", (search, expected) => {
    expect(parseEvents(search)).toMatchObject(expected)
  })
})
