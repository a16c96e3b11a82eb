import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import { failure } from "../../base/errors.ts"
import type {
  CacheReport,
  GatewayManifest,
  GatewayShow,
  GatewayTexts,
  Run,
} from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { gatewayParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { aRun } from "../run/run.fixture.ts"
import { aManifest, anItem, aProxiedSession, aRequest, aShow, NOW } from "./gateway.fixture.ts"
import { GatewayPage } from "./page.tsx"
import { showInput, textsInput } from "./use-gateway.ts"

const HOSTILE = '<img src=x onerror="window.hacked=1">\u202e'

type GatewayPageData = {
  readonly id?: string
  readonly run?: Run | Error
  readonly show?: GatewayShow | Error
  readonly manifest?: GatewayManifest | Error
  readonly texts?: GatewayTexts
}

function markupOf(
  address: string,
  { id = "rn_1", run, show, manifest, texts }: GatewayPageData,
): string {
  const queries = new QueryClient({ defaultOptions: { queries: { retryOnMount: false } } })
  const params = gatewayParams.parse(address)
  const hold = (queryKey: readonly unknown[], answer: unknown) => {
    if (!(answer instanceof Error)) return queries.setQueryData(queryKey, answer)
    const query = queries.getQueryCache().build(queries, { queryKey })
    return query.setState({ status: "error", error: answer, fetchStatus: "idle" })
  }
  hold(keys.operation("agents.show", { id }), run)
  hold(keys.operation("gateway.show", showInput(id, params.all)), show)
  hold(keys.operation("gateway.request", { id: "gw_1", seq: 2 }), manifest)
  const input = textsInput({ proxiedSession: "gw_1", seq: 2 }, params.find, params.from ?? 0)
  hold(keys.operation("gateway.texts", input), texts)
  return renderPage(
    queries,
    <GatewayPage id={id} now={NOW} params={params} onParams={() => undefined} />,
  )
}

const render = (address: string, data: GatewayPageData) => textOf(markupOf(address, data))
const NO_SESSION = failure({ code: "GATEWAY_SESSION_UNKNOWN", message: "No.", hint: "", data: {} })
const AT = "?at=gw_1.2"

describe("page Gateway", () => {
  it("[CONSOLE-15] the empty page says what the gateway is and how to turn it on", () => {
    for (const show of [aShow({ sessions: [], requests: [] }), NO_SESSION]) {
      const text = render("", { show, run: aRun() })
      expect(text).toContain(
        "The gateway runs on this machine between an agent and its model provider",
      )
      expect(text).toContain("$ qm run --gateway record")
    }
    expect(render("", {}), "unknown is not empty").not.toContain("qm run --gateway")
    const alive = aShow({ requests: [] })
    expect(render("", { show: alive })).toContain("It has sent none yet.")
    const over = aShow({ requests: [], sessions: [aProxiedSession("gw_1", { isAlive: false })] })
    expect(render("", { show: over })).toContain("It ended without a request")
  })

  it("[CONSOLE-15] an unknown id and a run that was never proxied have different texts", () => {
    const error = { message: "No such run.", hint: "", data: {} }
    const unknownRun = failure({ code: "AGENTS_RUN_UNKNOWN", ...error })
    const text = render("", { show: NO_SESSION, run: unknownRun })
    expect(text).toContain("No run has this id. It may have been deleted. All runs")
    expect(text).not.toContain("qm run --gateway")
    const broken = failure({ code: "STORE_BUSY", ...error })
    expect(render("", { show: NO_SESSION, run: broken })).toContain("STORE_BUSY")
    const unanswered = render("", { show: NO_SESSION })
    expect(unanswered, "not before it is known").not.toMatch(/No run has|qm run --gateway/)
    const unknownSession = render("", { id: "gw_nope", show: NO_SESSION })
    expect(unknownSession).toContain("GATEWAY_SESSION_UNKNOWN")
    expect(unknownSession).not.toContain("qm run --gateway")
  })

  it("[CONSOLE-15] a cache miss and secrets are on the row, in the totals and in the detail", () => {
    const cache: CacheReport = {
      verdict: "miss",
      cause: "tools",
      isCertain: true,
      also: [],
      detail: `tools added: ${HOSTILE}`,
      comparedWith: { proxiedSession: "gw_1", seq: 1 },
      gapMs: 10,
      prefixItems: 1,
      prefixTokens: 900,
      firstDifference: { place: 1, change: "added", kind: "tool", name: "mcp__x" },
      expectedTokens: 630_000,
      lostTokens: 629_000,
      lostUsd: 3.1,
      settings: { effort: null, thinking: null, toolChoice: null, lifetimeMs: null, markers: 3 },
    }
    const secrets = [{ kind: "password", count: 1 }]
    const request = aRequest(2, { cache, secrets, areSecretsReplaced: true })
    const show = aShow({ requests: [aRequest(1), request] })
    const markup = markupOf(AT, { show, run: aRun(), manifest: aManifest({ request }) })
    const text = textOf(markup)
    expect(text).toContain("629.0k missed")
    expect(text).toContain("629,000 cached tokens were sent again, $3.10 more. Cause: tools")
    expect(text).toContain("the first 900 tokens are equal, then tools mcp__x was inserted")
    expect(text).toContain("password: sent as placeholders")
    expect(markup).toContain("gw_1.1")
    expect(markup).not.toContain("<img")
  })

  it("[CONSOLE-15] an error shows its hint and its code", () => {
    const broken = failure({ code: "STORE_BUSY", message: "Busy.", hint: "Wait.", data: {} })
    const text = render("", { show: broken })
    expect(text).toContain("Busy.")
    expect(text).toContain("STORE_BUSY")
    expect(text).toContain("Try again")
  })

  it("it shows mode, wire format, provider and the totals of all requests", () => {
    const { totals } = aShow()
    const text = render("", { show: aShow({ totals: { ...totals, savedTokens: 403_128 } }) })
    expect(text).toMatch(/alive fold anthropic api\.example\.test 2 requests 20\.3k tokens exact/)
    expect(text).toMatch(/\$0\.04 96 % cached 403\.1k saved/)
    const unreported = { ...totals, unknownUsage: 2, cacheShare: null, costUsd: null }
    const requests = [aRequest(1, { usage: null })]
    const silent = render("", { show: aShow({ totals: unreported, requests }) })
    expect(silent, "unreported usage is not 0").not.toMatch(/0 tokens|exact|\$0|cached/)
    expect(silent).toContain("usage unknown for 2")
  })

  it("a run links to its transcript, and a command without a run has no link", () => {
    const html = markupOf("", { id: "run_0mwizyepd2y3pqw8qvz", show: aShow() })
    expect(html).toContain('href="/runs/run_0mwizyepd2y3pqw8qvz"')
    expect(textOf(html)).toContain("Transcript")
    const markup = markupOf("", { id: "gw_1", show: aShow() })
    expect(markup).toContain('href="/runs">Runs</a>')
    expect(textOf(markup)).not.toContain("Transcript")
  })

  it("a session that is no longer folded says why", () => {
    const sessions = [aProxiedSession("gw_1", { latchedOff: "the provider answered 400." })]
    const text = render("", { show: aShow({ sessions }) })
    expect(text).toContain("Folding stopped in this session: the provider answered 400. Its")
    expect(render("", { show: aShow() })).not.toContain("Folding stopped")
  })

  it("requests that are not listed are counted and can be loaded", () => {
    const text = render("", { show: aShow({ earlier: 40 }) })
    expect(text).toContain("40 earlier requests are not listed")
    expect(text).toContain("List more")
    expect(render("?all=yes", { show: aShow({ earlier: 40 }) })).not.toContain("List more")
  })

  it("the window over time is one image with a text alternative and a table", () => {
    const folded = [{ branchId: "br_1", bytes: 48_000, tokens: 12_000 }]
    const html = markupOf("", {
      show: aShow({ requests: [aRequest(1), aRequest(2, { folded })] }),
    })
    expect(html).toContain(
      'aria-label="Window over time: from 10.0k to 10.0k tokens, at most 10.0k; 1 branch folded at request 2: 12,000 tokens left out"',
    )
    expect(textOf(html)).toContain("As a table")
    const one = aShow({ requests: [aRequest(1)] })
    expect(render("", { show: one }), "one moment is no course").not.toContain("As a table")
  })
})

describe("request on the page Gateway", () => {
  it("it shows its outcome, its cost and the branches left out of it", () => {
    const request = aRequest(2, {
      folded: [{ branchId: "br_1", bytes: 1_512_000, tokens: 403_128 }],
      forwardedBytes: 20_000,
      added: [anItem("user", "")],
      gone: 87,
      masked: { results: 3, bytes: 60_000, tokens: 18_500, added: 1 },
      fallback: "400, the original followed",
    })
    const html = markupOf(AT, { show: aShow(), manifest: aManifest({ request }) })
    const text = textOf(html)
    expect(text).toContain("Request 2, 10,000 tokens Content")
    expect(text).toContain("Masked 3 old tool results, 1 of them new, 18,500 tokens left out")
    expect(text).toContain("Response 200, 2.4 s, first byte after 800 ms")
    expect(text).toContain("Input 9,588 from the cache, 400 written, 12 fresh")
    expect(text).toContain("Output 140 tokens Cost $0.02, by the price table")
    expect(text).toContain("Size 40.0 kB by the host, 20.0 kB to the provider")
    expect(text).toContain("New 1 item, 87 removed since the previous request")
    expect(html).toContain('href="/folds?all=yes&amp;at=br_1&amp;show=br_1">br_1</a>')
    expect(text).toContain("Original sent 400, the original followed")
  })

  it("a token count shows no provider numbers", () => {
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    const request = aRequest(2, { route: "count", usage, costUsd: 0 })
    const text = render(AT, { show: aShow(), manifest: aManifest({ request }) })
    expect(text).toContain("Request 2, about 9,000 tokens")
    expect(text).not.toMatch(/from the cache|Output \d|Cost/)
  })

  it("without stored texts it offers the command that stores them and requests none", () => {
    const show = aShow({ sessions: [aProxiedSession("gw_1", { hasContent: false })] })
    const text = render(`${AT}&tab=exact`, { show, manifest: aManifest() })
    expect(text).toContain("The texts of this request were not stored")
    expect(text).toContain("$ qm config set gateway.content true")
  })

  it("stored texts can be searched and are paged", () => {
    const piece = {
      ...anItem("result", "Read"),
      place: 3,
      text: "half a cent",
      isCut: true,
    }
    const texts = { total: 240, pieces: [piece] }
    const data = { show: aShow(), manifest: aManifest(), texts }
    const text = render(`${AT}&tab=exact&find=cent&piece=3`, data)
    expect(text).toContain("Tool results, Read")
    expect(text).toContain("half a cent")
    expect(text).toContain("1 to 1 of 240 items")
    expect(text).toContain("Truncated: only this part was stored.")
    const none = render(`${AT}&tab=exact&find=zzz`, { ...data, texts: { total: 0, pieces: [] } })
    expect(none).toContain("No item matches.")
  })

  it("headers are shown as stored", () => {
    const headers = [{ name: "x-api-key", value: "[redacted]" }]
    const data = { show: aShow(), manifest: aManifest({ headers }) }
    expect(render(`${AT}&tab=headers`, data)).toContain("x-api-key [redacted]")
  })

  it("[CONSOLE-22] control and bidirectional characters in names and texts are escaped", () => {
    const piece = { ...anItem("result", HOSTILE), place: 0, text: HOSTILE, isCut: false }
    const request = aRequest(2, { model: HOSTILE, agent: HOSTILE, fallback: HOSTILE })
    const sessions = [
      aProxiedSession("gw_1", { latchedOff: HOSTILE, upstream: HOSTILE, title: HOSTILE }),
    ]
    const data: GatewayPageData = {
      show: aShow({ sessions, requests: [aRequest(1), request] }),
      manifest: aManifest({ request, headers: [{ name: HOSTILE, value: HOSTILE }] }),
      texts: { total: 1, pieces: [piece] },
    }
    for (const tab of ["held", "exact", "headers"]) {
      const html = markupOf(`${AT}&tab=${tab}&piece=0`, data)
      expect(html).not.toContain("<img")
      expect(html).not.toContain("\u202e")
      expect(html).toContain("\\u{202e}")
    }
  })
})
