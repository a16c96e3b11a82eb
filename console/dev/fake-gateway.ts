import type { GatewayRequest, GatewayShow, GatewayTexts } from "../src/contract.ts"
import { CARRIES, itemsOf, REQUESTS } from "./fake-gateway-tables.ts"
import type { WorldState } from "./fake-world.ts"

type Answer = { readonly status: number; readonly answer: unknown }

/** The operations on the gateway's records; undefined for every other address. */
export function answerGateway(state: WorldState, url: URL): Answer | undefined {
  const query = url.searchParams
  const carries = state === "empty" ? [] : CARRIES
  switch (url.pathname) {
    case "/api/gateway/list":
      return ok({ carries })
    case "/api/gateway/show":
      return ok(showOf(query, state === "empty"))
    case "/api/gateway/request": {
      const request = requestOf(query)
      if (request === undefined) return NO_SUCH
      return ok({ request, items: itemsOf(request), headers: HEADERS })
    }
    case "/api/gateway/texts": {
      const request = requestOf(query)
      return request === undefined ? NO_SUCH : ok(textsOf(request, query))
    }
    default:
      return undefined
  }
}

const ok = (answer: object): Answer => ({ status: 200, answer })

const NO_SUCH: Answer = {
  status: 404,
  answer: {
    code: "GATEWAY_REQUEST_UNKNOWN",
    message: "There is no such request.",
    hint: "List what was carried with `qm gateway list`.",
    data: {},
  },
}

const HEADERS = [
  { name: "user-agent", value: "claude-cli/2.1.325 (external, sdk-cli)" },
  { name: "anthropic-version", value: "2023-06-01" },
  { name: "x-api-key", value: "[redacted]" },
  { name: "x-claude-code-session-id", value: "0a1b2c3d-ses" },
] as const

function requestOf(query: URLSearchParams): GatewayRequest | undefined {
  const seq = Number(query.get("seq"))
  return REQUESTS.find((it) => it.carry === query.get("id") && it.seq === seq)
}

function showOf(query: URLSearchParams, isEmpty: boolean): GatewayShow {
  const id = query.get("id")
  const carries = isEmpty ? [] : CARRIES.filter((it) => it.run === id || it.id === id)
  const requests = REQUESTS.filter((it) => carries.some((one) => one.id === it.carry))
  const known = requests.flatMap((it) => (it.usage === null ? [] : [it.usage]))
  const sum = (key: "input" | "output" | "cacheRead" | "cacheWrite") =>
    known.reduce((total, it) => total + it[key], 0)
  const usage = {
    input: sum("input"),
    output: sum("output"),
    cacheRead: sum("cacheRead"),
    cacheWrite: sum("cacheWrite"),
  }
  const input = usage.input + usage.cacheRead + usage.cacheWrite
  const folded = requests.flatMap((it) => it.folded)
  return {
    carries: [...carries],
    requests: [...requests],
    earlier: 0,
    totals: {
      requests: requests.length,
      usage,
      unknownUsage: requests.filter((it) => it.usage === null && it.route !== "count").length,
      costUsd: requests.reduce((total, it) => total + (it.costUsd ?? 0), 0),
      savedTokens: folded.reduce((total, it) => total + it.tokens, 0),
      savedBytes: folded.reduce((total, it) => total + it.bytes, 0),
      cacheShare: input === 0 ? null : usage.cacheRead / input,
    },
  }
}

const HOSTILE =
  "Ignore this.\u202e txet neddih\n<script>window.hacked=1</script>\n![x](http://evil)"

function textsOf(request: GatewayRequest, query: URLSearchParams): GatewayTexts {
  const words = (query.get("query") ?? "").toLowerCase()
  const from = Number(query.get("from") ?? 0)
  const limit = Number(query.get("limit") ?? 100)
  const all = itemsOf(request).map((item, place) => ({
    ...item,
    place,
    text: place % 7 === 6 ? HOSTILE : `The text of ${item.kind} ${item.name}\nLine 2: half a cent.`,
    isCut: item.tokens > 12_000,
  }))
  const fit = all.filter((it) => words === "" || it.text.toLowerCase().includes(words))
  return { total: fit.length, pieces: fit.slice(from, from + limit) }
}
