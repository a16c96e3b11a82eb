import {
  type CaptureBudget,
  type CaptureHeadline,
  CONTEXT_KINDS,
  type ContextKind,
  type Manifest,
  type Observation,
} from "#ground/contract"

const MOST_BIGGEST_SHOWN = 10

const MOST_DUPLICATES_SHOWN = 20

const LEAST_REPEATED_TOKENS = 20

/** Share of the smaller text that must occur again to be called a duplicate. */
const LEAST_LIKENESS = 0.3

/** A passage that this many items share is boilerplate; it is not worth a line for each. */
const MOST_SHARING_ITEMS = 12

/** A shared run of this many words is unlikely to be a coincidence. */
const SHINGLE_WORDS = 8

const MOST_COMPARED_WORDS = 20_000

/** Work grows with the words of these items, not with pairs. */
const MOST_COMPARED_ITEMS = 400

type Duplicate = CaptureBudget["duplicates"][number]

type WeighedText = { readonly label: string; readonly text: string; readonly tokens: number }

export function findDuplicates(items: readonly WeighedText[]): Duplicate[] {
  const compared = items
    .filter((it) => it.tokens > 0 && it.text !== "")
    .slice(0, MOST_COMPARED_ITEMS)
  const groups = [...Map.groupBy(compared, (it) => it.text).values()].flatMap(
    ([first, ...copies]) => (first === undefined ? [] : [{ first, copies }]),
  )
  const same = groups.filter((group) => group.copies.length > 0).map(describeWholeCopy)
  const alike = findAlike(groups.map((group) => group.first))
  return [...same, ...alike]
    .filter((it) => it.tokens >= LEAST_REPEATED_TOKENS)
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, MOST_DUPLICATES_SHOWN)
}

type Group = { readonly first: WeighedText; readonly copies: readonly WeighedText[] }

function describeWholeCopy({ first, copies }: Group): Duplicate {
  return {
    labels: [first, ...copies].map((it) => it.label),
    tokens: copies.length * first.tokens,
    likeness: 1,
    excerpt: excerptOf(first.text),
  }
}

function findAlike(items: readonly WeighedText[]): Duplicate[] {
  const shingles = items.map((it) => shinglesOf(it.text))
  const sharedByPair = countShared(shingles)
  const duplicates: Duplicate[] = []
  for (const [pair, shared] of sharedByPair) {
    const [first, second] = pair.split(" ").map(Number)
    const [a, b] = [items[first ?? 0], items[second ?? 0]]
    const [inA, inB] = [shingles[first ?? 0], shingles[second ?? 0]]
    if (a === undefined || b === undefined || inA === undefined || inB === undefined) continue
    const [smaller, runs] = inA.size <= inB.size ? [a, inA] : [b, inB]
    const likeness = Math.min(1, shared.count / runs.size)
    if (likeness < LEAST_LIKENESS) continue
    const tokens = Math.round(smaller.tokens * likeness)
    duplicates.push({ labels: [a.label, b.label], tokens, likeness, excerpt: shared.first })
  }
  return duplicates
}

type SharedText = { count: number; readonly first: string }

function countShared(shingles: readonly ReadonlyMap<string, string>[]): Map<string, SharedText> {
  const itemsByRun = new Map<string, number[]>()
  for (const [index, runs] of shingles.entries()) {
    for (const run of runs.keys()) {
      const items = itemsByRun.get(run) ?? []
      items.push(index)
      itemsByRun.set(run, items)
    }
  }
  const sharedByPair = new Map<string, SharedText>()
  for (const [run, items] of itemsByRun) {
    if (items.length > MOST_SHARING_ITEMS) continue
    for (const pair of pairsOf(items)) {
      const first = shingles[items[0] ?? 0]?.get(run) ?? run
      const shared = sharedByPair.get(pair) ?? { count: 0, first }
      shared.count++
      sharedByPair.set(pair, shared)
    }
  }
  return sharedByPair
}

function pairsOf(items: readonly number[]): string[] {
  return items.flatMap((a, at) => items.slice(at + 1).map((b) => `${a} ${b}`))
}

function shinglesOf(text: string): Map<string, string> {
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MOST_COMPARED_WORDS)
  const plain = words.map((it) => it.toLowerCase())
  const runs = new Map<string, string>()
  for (let at = 0; at + SHINGLE_WORDS <= words.length; at++) {
    const run = plain.slice(at, at + SHINGLE_WORDS).join(" ")
    if (!runs.has(run)) runs.set(run, words.slice(at, at + SHINGLE_WORDS).join(" "))
  }
  return runs
}

function excerptOf(text: string): string {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, SHINGLE_WORDS).join(" ")
}

type Sizes = { readonly window: number; readonly startBudget: number }

export function analyseBudget(
  manifest: Manifest,
  texts: readonly WeighedText[],
  sizes: Sizes,
): CaptureBudget {
  const { items, totals } = manifest
  const inWindow = items.filter((it) => it.tokens > 0)
  const kinds = CONTEXT_KINDS.map((kind) => {
    const ofKind = inWindow.filter((it) => it.kind === kind)
    return { kind, tokens: ofKind.reduce((total, it) => total + it.tokens, 0) }
  })
  const window = manifest.start?.window ?? sizes.window
  return {
    ...sizes,
    window,
    tokens: totals.tokensInWindow,
    share: totals.tokensInWindow / window,
    kinds: kinds.filter((it) => it.tokens > 0),
    biggest: inWindow
      .toSorted((a, b) => b.tokens - a.tokens)
      .slice(0, MOST_BIGGEST_SHOWN)
      .map(({ path, label, tokens }) => ({ path, label, tokens })),
    duplicates: findDuplicates(texts),
  }
}

/** After a report of the host the figures are the host's own; the estimate stays beside them. */
export function headlineOf(
  manifest: Manifest,
  budget: CaptureBudget,
  observation: Observation | null,
): CaptureHeadline {
  const estimate = budget.tokens
  const { by, totalTokens, at } = observation ?? {}
  if (by === undefined || by === "transcript" || totalTokens === undefined || at === undefined) {
    const { window, share, kinds } = budget
    const figures = { tokens: estimate, window, share, kinds }
    return { ...figures, by: "estimate", at: manifest.capturedAt, estimate }
  }
  const window = observation?.window ?? budget.window
  const categories = observation?.categories ?? []
  const kinds = kindsOf(categories)
  return {
    tokens: totalTokens,
    window,
    share: totalTokens / window,
    kinds: kinds.length === 0 ? [...budget.kinds] : kinds,
    by,
    at,
    estimate,
  }
}

/** Names of Claude Code; what it only reserves or could load later is not in the window. */
const CATEGORY_KINDS: Readonly<Record<string, ContextKind>> = {
  "System prompt": "system",
  "System tools": "tools",
  "MCP tools": "mcp",
  "MCP tool instructions": "mcp",
  "Custom agents": "agents",
  "Memory files": "instructions",
  Skills: "skills",
  Messages: "system",
}

function kindsOf(categories: Observation["categories"]): CaptureBudget["kinds"] {
  const totals = new Map<ContextKind, number>()
  for (const { name, tokens } of categories) {
    const kind = CATEGORY_KINDS[name] ?? CONTEXT_KINDS.find((it) => it === name)
    if (kind !== undefined) totals.set(kind, (totals.get(kind) ?? 0) + tokens)
  }
  return CONTEXT_KINDS.flatMap((kind) => {
    const tokens = totals.get(kind) ?? 0
    return tokens === 0 ? [] : [{ kind, tokens }]
  })
}
