import type { Memory, MemoryList, MemorySearch } from "../src/contract.ts"
import { MEMORIES, MORE, memory } from "./fake-memory-tables.ts"
import { WORLD_NOW, type WorldState } from "./fake-world.ts"

type Body = Readonly<Record<string, unknown>>
type Answer = { readonly status: number; readonly answer: unknown }

/** What the fake server remembers; confirming, judging, adding and forgetting change it. */
export type FakeMemories = { memories: readonly Memory[] }

export function worldMemories(state: WorldState): FakeMemories {
  return { memories: state === "empty" ? [] : [...MEMORIES, ...MORE] }
}

/** The operations on memories; undefined for every other address. */
export function answerMemories(world: FakeMemories, url: URL, body: Body): Answer | undefined {
  const query = url.searchParams
  switch (url.pathname) {
    case "/api/memory/list":
      return ok(listOf(world, query))
    case "/api/memory/search":
      return ok(searched(world, query))
    case "/api/memory/show":
      return change(world, query.get("id") ?? "", (it) => it)
    case "/api/memory/confirm":
      return change(world, String(body.id), (it) => ({ ...it, state: "confirmed" }))
    case "/api/memory/feedback":
      return change(world, String(body.id), (it) => judged(it, String(body.verdict)))
    case "/api/memory/forget":
      return forget(world, String(body.id))
    case "/api/memory/record":
      return refusalOf(body) ?? ok(record(world, body))
    case "/api/decision/list":
      return ok(decisionsOf(world))
    case "/api/decision/show":
      return change(world, query.get("id") ?? "", (it) => it)
    case "/api/decision/add":
      return refusalOf(body) ?? ok(record(world, asDecision(body)))
    default:
      return undefined
  }
}

const ok = (answer: unknown): Answer => ({ status: 200, answer })

function listOf({ memories }: FakeMemories, query: URLSearchParams): MemoryList {
  const [kind, state] = [query.get("kind"), query.get("state")]
  const wanted = memories.filter(
    (it) => (kind === null || it.kind === kind) && (state === null || it.state === state),
  )
  const listed = wanted.toSorted((a, b) => b.createdAt - a.createdAt)
  const problems = [
    { file: ".qm/memory/rules/berths.md", problem: "The kind is missing." },
    { file: ".qm/memory/lessons/tide.md", problem: "Line 3: the state is no word we know." },
  ]
  return {
    memories: listed.slice(0, Number(query.get("limit") ?? 200)),
    total: wanted.length,
    problems: memories.length === 0 ? [] : problems,
  }
}

function decisionsOf(world: FakeMemories): MemoryList {
  const list = listOf(world, new URLSearchParams("kind=decision&limit=1000"))
  return { ...list, problems: [] }
}

function asDecision({ title, context, decision, consequences }: Body): Body {
  const parts = [`## Context\n\n${String(context)}`, `## Decision\n\n${String(decision)}`]
  const last = typeof consequences === "string" ? [`## Consequences\n\n${consequences}`] : []
  return { kind: "decision", title, body: [...parts, ...last].join("\n\n") }
}

function searched({ memories }: FakeMemories, query: URLSearchParams): MemorySearch {
  const words = (query.get("words") ?? "").toLowerCase().split(/\s+/)
  const kind = query.get("kind")
  const found = memories
    .filter((it) => kind === null || it.kind === kind)
    .flatMap((it) => {
      const has = words.filter((word) => `${it.title} ${it.body}`.toLowerCase().includes(word))
      if (has.length === 0) return []
      const cited = it.cites.some(({ path }) => words.some((word) => path.includes(word)))
      const why = [`words ${has.join(", ")}`, ...(cited ? ["code it cites"] : [])]
      return [{ memory: it, score: has.length / words.length, why }]
    })
    .toSorted((a, b) => b.score - a.score || b.memory.confidence - a.memory.confidence)
  return { found: found.slice(0, Number(query.get("limit") ?? 10)), total: memories.length }
}

function change(world: FakeMemories, id: string, to: (it: Memory) => Memory): Answer {
  const found = world.memories.find((it) => it.id === id)
  if (found === undefined) return NO_SUCH
  const changed = to(found)
  world.memories = world.memories.map((it) => (it.id === id ? changed : it))
  return ok(changed)
}

function judged(it: Memory, verdict: string): Memory {
  const isGood = verdict === "helpful"
  const { signals } = it
  const more = isGood
    ? { ...signals, helpful: signals.helpful + 1 }
    : { ...signals, unhelpful: signals.unhelpful + 1 }
  return { ...it, signals: more, confidence: it.confidence + (isGood ? 0.02 : -0.05) }
}

function forget(world: FakeMemories, id: string): Answer {
  const found = world.memories.find((it) => it.id === id)
  if (found === undefined) return NO_SUCH
  world.memories = world.memories.filter((it) => it.id !== id)
  return ok({ id, file: found.file })
}

function record(world: FakeMemories, body: Body) {
  const title = String(body.title)
  const twin = world.memories.find((it) => it.title === title)
  if (twin !== undefined) return { outcome: "duplicate", memory: twin, redactions: 0 }
  const made: Memory = {
    ...memory(
      {
        id: `mem_new${world.memories.length}`,
        kind: body.kind === "decision" ? "decision" : "rule",
        title,
      },
      0,
    ),
    body: String(body.body),
    description: typeof body.description === "string" ? body.description : title,
    source: {
      session: null,
      actor: "human",
      commit: null,
      isUntrusted: body.untrusted === true,
      isDistilled: false,
    },
    createdAt: WORLD_NOW,
  }
  world.memories = [made, ...world.memories]
  return { outcome: "recorded", memory: made, redactions: 0 }
}

function refusalOf({ title, cites }: Body): Answer | undefined {
  const text = String(title)
  if (text.length > 200) {
    return refuse("MEMORY_TEXT_TOO_LONG", {
      message: `The title has ${text.length} characters; at most 200 are kept.`,
      hint: "Say what is worth knowing next time in fewer words; cite code instead of quoting.",
      data: { field: "title", length: text.length, most: 200 },
    })
  }
  const first: unknown = Array.isArray(cites) ? cites[0] : undefined
  if (typeof first !== "string" || first.startsWith("src/")) return undefined
  return refuse("MEMORY_CITE_UNKNOWN", {
    message: `The memory cites ${first}, which is not in the repository.`,
    hint: "Cite code that is there, as path or path#symbol from the root, or leave it out.",
    data: { cite: first },
  })
}

type Said = { readonly message: string; readonly hint: string; readonly data: object }

function refuse(code: string, said: Said): Answer {
  return { status: 422, answer: { code, ...said } }
}

const NO_SUCH: Answer = {
  status: 404,
  answer: {
    code: "MEMORY_NOT_FOUND",
    message: "There is no memory of this id.",
    hint: "Search for it first; `qm memory` lists all, and files that could not be read.",
    data: {},
  },
}
