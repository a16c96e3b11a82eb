import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  CONTEXT_KINDS,
  DEPTHS,
  HOOK_NAMES,
  HOST_NAMES,
  KB_TIERS,
  MemoryState,
  MEMORY_KINDS as OUR_MEMORY_KINDS,
  VERDICTS,
} from "#ground/contract"
import { KINDS } from "../base/kinds.ts"
import { withSeed } from "../test-seed.ts"
import type { ParamsCodec } from "./params.ts"
import {
  COST_PERIODS,
  COST_TABS,
  captureParams,
  costParams,
  eventsParams,
  foldParams,
  GUARD_HOURS,
  GUARD_RULES,
  GUARD_VERDICTS,
  gatewayIdAt,
  gatewayParams,
  guardParams,
  HOSTS,
  KNOWLEDGE_TIERS,
  knowledgeParams,
  MEMORY_KINDS,
  MEMORY_STATES,
  mapParams,
  memoryParams,
  PIPELINE_DEPTHS,
  PIPELINES_FACETS,
  packParams,
  paths,
  pipelineIdAt,
  pipelineParams,
  pipelinesParams,
  RECIPES_TABS,
  recipesParams,
  runIdAt,
  runParams,
  runsParams,
  SESSION_TABS,
  SESSIONS_TABS,
  sessionIdAt,
  sessionParams,
  sessionsParams,
  settingsParams,
  skillsParams,
  TRANSCRIPT_HOSTS,
} from "./paths.ts"

const text = fc.string({ unit: "grapheme" })
const whole = fc.option(fc.nat())
const flag = fc.boolean()
const list = fc.array(fc.string({ minLength: 1 }))
const set = fc.uniqueArray(fc.string({ minLength: 1 }))
const choice = fc.constantFrom
const optional = <One>(...all: readonly One[]) => fc.option(fc.constantFrom(...all))

type Case = readonly [
  page: string,
  check: (assert: (codec: ParamsCodec<unknown>, states: fc.Arbitrary<unknown>) => void) => void,
  meaningless: string,
]

type States<Params> = { readonly [Field in keyof Params]: fc.Arbitrary<Params[Field]> }

function page<Params>(
  [name, meaningless]: readonly [string, string],
  codec: ParamsCodec<Params>,
  states: States<Params>,
): Case {
  return [name, (assert) => assert(codec as ParamsCodec<unknown>, fc.record(states)), meaningless]
}

const PAGES: readonly Case[] = [
  page(["Events", "?at=x&view=y"], eventsParams, {
    name: text,
    text,
    at: whole,
    until: whole,
    view: choice("fields", "raw"),
  }),
  page(["Settings", "?layer=odd"], settingsParams, {
    text,
    layer: choice("user", "project"),
    group: text,
    at: text,
  }),
  page(["Folds", "?tab=x&step=y&all=1&closed="], foldParams, {
    text,
    all: flag,
    closed: list,
    at: text,
    show: text,
    tab: choice("result", "trail", "prompt", "restored"),
    step: whole,
  }),
  page(["Memory", "?kind=zz&state=1&add=true"], memoryParams, {
    text,
    kind: optional(...MEMORY_KINDS),
    state: optional(...MEMORY_STATES),
    at: text,
    show: text,
    add: flag,
  }),
  page(["Guard", "?rule=zz&verdict=1&hours=5&try=true"], guardParams, {
    text,
    verdict: optional(...GUARD_VERDICTS),
    rule: optional(...GUARD_RULES),
    session: text,
    hours: choice(...GUARD_HOURS),
    at: text,
    show: text,
    trying: flag,
    patterns: text,
  }),
  page(["Sessions", "?tab=zz"], sessionsParams, {
    tab: choice(...SESSIONS_TABS),
    text,
    host: optional(...TRANSCRIPT_HOSTS),
    here: flag,
    at: text,
    show: text,
  }),
  page(["Session", "?tab=zz&call=x"], sessionParams, {
    tab: choice(...SESSION_TABS),
    agent: text,
    call: whole,
    line: whole,
    find: text,
  }),
  page(["Cost", "?since=1y&by=colour"], costParams, {
    since: choice(...COST_PERIODS),
    here: flag,
    by: choice(...COST_TABS),
    day: text,
    at: text,
  }),
  page(["Gateway", "?tab=zz&who=nobody&from=-1"], gatewayParams, {
    who: choice("all", "main", "agents"),
    all: flag,
    at: text,
    tab: choice("held", "exact", "headers"),
    find: text,
    from: whole,
    piece: whole,
  }),
  page(["Pipelines", "?status=zz&add=true"], pipelinesParams, {
    text,
    agent: text,
    status: choice(...PIPELINES_FACETS),
    at: text,
    add: flag,
    start: text,
  }),
  page(["one pipeline", "?compare=1&turned="], pipelineParams, {
    at: text,
    turned: list,
    other: text,
    compare: flag,
    open: list,
  }),
  page(["Recipes", "?tab=zz"], recipesParams, {
    text,
    at: text,
    show: text,
    tab: choice(...RECIPES_TABS),
  }),
  page(["Skills", "?zz=1"], skillsParams, { text, at: text, show: text }),
  page(["Knowledge", "?tier=zz&hops=1"], knowledgeParams, {
    text,
    tier: optional(...KNOWLEDGE_TIERS),
    hops: flag,
    at: text,
    show: text,
    document: text,
    add: flag,
  }),
  page(["Capture", "?host=emacs&tab=x&view=y&open=1&kind=z"], captureParams, {
    host: choice(...HOSTS),
    dir: text,
    id: text,
    tab: choice("loads", "found", "settings", "biggest", "diff"),
    at: text,
    view: choice("text", "diff", "raw"),
    open: flag,
    kind: optional(...KINDS),
    figure: choice("reported", "estimate"),
    turned: list,
    from: text,
    to: text,
  }),
  page(["Pack", "?pane=x&tab=y&kind=z&budget=-1&compare=1"], packParams, {
    task: text,
    budget: whole,
    role: text,
    pins: set,
    drops: set,
    full: set,
    symbols: set,
    signatures: set,
    mention: set,
    order: set,
    at: text,
    pane: choice("candidates", "chosen", "preview"),
    tab: choice("summary", "markdown", "xml", "json"),
    kind: optional("files", "symbols"),
    turned: set,
    id: text,
    compare: flag,
    from: text,
    to: text,
  }),
  page(["Map", "?hops=9&by=x&tab=y&color=z&view=w"], mapParams, {
    text,
    by: choice("words", "path"),
    view: optional("treemap", "list"),
    color: choice("changes", "size", "rank", "reads"),
    folder: text,
    open: list,
    at: text,
    show: text,
    tab: choice("symbols", "imports", "importers", "users", "changed"),
    hops: choice(1, 2),
  }),
  page(["Runs", "?status=odd&view=odd&beside=odd"], runsParams, {
    view: choice("list", "approvals", "permissions"),
    text,
    status: choice("all", "waiting", "live", "completed", "failed", "stopped"),
    label: text,
    workflow: text,
    archived: flag,
    at: text,
    beside: optional("peek", "new"),
    prompt: text,
    pack: text,
    agent: text,
    dir: text,
    resume: text,
  }),
  page(["one run", "?at=-1&raw=1"], runParams, {
    at: whole,
    chart: flag,
    raw: flag,
    find: text,
    compose: flag,
  }),
]

describe("URL parameters and paths", () => {
  it.each(PAGES)(
    "[CONSOLE-3] parse(format(params)) returns params for every state of %s",
    (_, check) => {
      check((codec, states) =>
        fc.assert(
          fc.property(states, (params) => {
            expect(codec.parse(codec.format(params as object))).toEqual(params)
          }),
          withSeed(),
        ),
      )
    },
  )

  it.each(PAGES)(
    "[CONSOLE-3] defaults of %s are not written, and invalid parameters are read as defaults",
    (_, check, meaningless) => {
      check((codec) => {
        expect(codec.format(codec.parse("") as object)).toBe("")
        expect(codec.parse(meaningless)).toEqual(codec.parse(""))
      })
    },
  )

  it("[CONSOLE-3] the enumerations in URLs equal those of the contract", () => {
    expect([HOSTS, KINDS, MEMORY_KINDS, MEMORY_STATES]).toEqual([
      HOST_NAMES,
      CONTEXT_KINDS,
      OUR_MEMORY_KINDS,
      MemoryState.options,
    ])
    expect([GUARD_RULES, GUARD_VERDICTS, KNOWLEDGE_TIERS, PIPELINE_DEPTHS]).toEqual([
      HOOK_NAMES,
      VERDICTS,
      KB_TIERS,
      DEPTHS,
    ])
  })

  it("[CONSOLE-3] an id in a path is read back and belongs to one page", () => {
    const id = fc.string({ unit: "grapheme", minLength: 1 }).filter((it) => it.isWellFormed())
    fc.assert(
      fc.property(id, (it) => {
        expect(runIdAt(paths.run(it))).toBe(it)
        expect(gatewayIdAt(paths.gateway(it))).toBe(it)
        expect(pipelineIdAt(paths.pipeline(it))).toBe(it)
        expect(sessionIdAt(paths.session(it))).toBe(it)
        expect(runIdAt(paths.gateway(it)), "it is no page of a run").toBeUndefined()
      }),
      withSeed(),
    )
    expect([runIdAt("/runs"), runIdAt("/runs/a/b"), pipelineIdAt("/pipelines")]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect([
      runIdAt("/runs/%E0"),
      pipelineIdAt("/pipelines/%"),
      gatewayIdAt("/runs/a%/gateway"),
    ]).toEqual(["%E0", "%", "a%"])
  })

  it("[CONSOLE-3] a URL is a path plus the parameters that differ from their defaults", () => {
    expect(paths.capture(captureParams.parse(""))).toBe("/capture")
    expect(paths.settings({ layer: "user", text: "" })).toBe("/settings")
    expect(paths.run("rn_1", { at: 7, raw: true })).toBe("/runs/rn_1?at=7&raw=yes")
    expect(paths.guard({ trying: true, hours: 1 })).toBe("/guard?hours=1&try=yes")
    expect(paths.pack({ pins: ["a", "b"], budget: 0 })).toBe("/pack?budget=0&pin=a&pin=b")
    expect(packParams.parse("?pin=a&pin=a&pin=").pins).toEqual(["a"])
  })

  it.each([
    ["?at=seven&until=-1&view=upside-down", { at: null, until: null, view: "fields" }],
    ["?at=1e9", { at: null }],
    ["?at=99999999999999999999", { at: null }],
    ["?at=12&at=13", { at: 12 }],
  ])("[CONSOLE-3] an invalid parameter is read as its default: %s", (search, expected) => {
    expect(eventsParams.parse(search)).toMatchObject(expected)
  })
})
