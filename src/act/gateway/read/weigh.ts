import { hash } from "node:crypto"
import { ownCopy } from "#ground/base"
import {
  CONTEXT_KINDS,
  type ContextKind,
  type TokenEncoding,
  type WireItem,
} from "#ground/contract"
import { createTokens, type TokenCounter } from "#ground/tokens"
import type { RawItem } from "./formats/raw-item.ts"

/** Further items become one; real requests have hundreds. */
const MOST_ITEMS = 20_000

const LONGEST_NAME_UNITS = 4_096

/** By hash: every request repeats most of the previous one. */
const MOST_REMEMBERED_COUNTS = 200_000

export type WeighedItem = { readonly item: WireItem; readonly raw: RawItem }

export function createWeigher() {
  const counters = new Map<TokenEncoding, Promise<TokenCounter>>()
  const counts = new Map<string, number>()
  const counterOf = (encoding: TokenEncoding): Promise<TokenCounter> => {
    const counter = counters.get(encoding) ?? createTokens({ encoding }).counter()
    counters.set(encoding, counter)
    return counter
  }
  return {
    async weigh(raw: readonly RawItem[], encoding: TokenEncoding): Promise<readonly WeighedItem[]> {
      const counter = await counterOf(encoding)
      const count = (text: string, sha256: string): number => {
        const key = `${encoding} ${sha256}`
        const cached = counts.get(key)
        if (cached !== undefined) return cached
        const tokens = counter.count(text)
        if (counts.size >= MOST_REMEMBERED_COUNTS) counts.clear()
        counts.set(ownCopy(key), tokens)
        return tokens
      }
      return bounded(raw.map((it) => ({ raw: it, item: weighOne(it, count) })))
    },
    async count(text: string, encoding: TokenEncoding): Promise<number> {
      return (await counterOf(encoding)).count(text)
    },
  }
}

export type Weigher = ReturnType<typeof createWeigher>

function weighOne(raw: RawItem, count: (text: string, sha256: string) => number): WireItem {
  const textSha = hash("sha256", raw.text)
  const sha256 = raw.identity === undefined ? textSha : hash("sha256", raw.identity)
  return {
    kind: raw.kind,
    context: raw.context ?? contextOf(raw),
    name: raw.name.slice(0, LONGEST_NAME_UNITS),
    sha256,
    tokens: raw.tokens ?? count(raw.text, textSha),
    bytes: raw.bytes ?? Buffer.byteLength(raw.text),
    ...(raw.path === undefined ? {} : { path: raw.path }),
    ...(raw.isConfirmed === undefined ? {} : { isConfirmed: raw.isConfirmed }),
    ...(raw.isDeferred === undefined ? {} : { isDeferred: raw.isDeferred }),
    ...(raw.why === undefined ? {} : { why: raw.why }),
  }
}

const READS =
  /(?:^|__)(?:Read|NotebookRead|View|view|view_image|read_\w{0,100}file\w{0,100}|ReadFile|read)$/

function contextOf({ kind, name }: RawItem): ContextKind {
  switch (kind) {
    case "prompt":
    case "environment":
      return "system"
    case "instructions":
      return "instructions"
    case "memory":
      return "memory"
    case "tool":
      return name.startsWith("mcp__") ? "mcp" : "tools"
    case "server":
      return "mcp"
    case "skill":
      return "skills"
    case "agent":
      return "agents"
    case "result":
      return READS.test(name) ? "files" : "history"
    default:
      return "history"
  }
}

/** Items over the limit become one at the end. */
function bounded(weighed: readonly WeighedItem[]): readonly WeighedItem[] {
  if (weighed.length <= MOST_ITEMS) return weighed
  const listed = weighed.slice(0, MOST_ITEMS - 1)
  const rest = weighed.slice(MOST_ITEMS - 1).map((it) => it.item)
  const item: WireItem = {
    kind: "other",
    context: "history",
    name: `${rest.length} further items`,
    sha256: hash("sha256", rest.map((it) => it.sha256).join()),
    tokens: sum(rest.map((it) => it.tokens)),
    bytes: sum(rest.map((it) => it.bytes)),
  }
  return [...listed, { item, raw: { kind: "other", name: item.name, text: "" } }]
}

export function kindsOf(items: readonly WireItem[]) {
  const tokensByKind = new Map<ContextKind, number>()
  for (const { context, tokens } of items) {
    tokensByKind.set(context, (tokensByKind.get(context) ?? 0) + tokens)
  }
  return CONTEXT_KINDS.flatMap((kind) => {
    const tokens = tokensByKind.get(kind) ?? 0
    return tokens === 0 ? [] : [{ kind, tokens }]
  })
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, it) => total + it, 0)
}
