import type { Branch, FoldRestore, FoldSearch, FoldShow, FoldTree } from "../src/contract.ts"
import { CLAUDE, MANY, OTHER } from "./fake-fold-tables.ts"
import { trailOf } from "./fake-fold-trail.ts"
import type { WorldState } from "./fake-world.ts"

/** The branches of the fake world. Undefined for every address that is not theirs. */
export function answerFolds(state: WorldState, url: URL) {
  const query = url.searchParams
  const all = state === "empty" ? [] : [...CLAUDE, ...OTHER, ...MANY]
  const found = all.find((it) => it.id === query.get("id"))
  switch (url.pathname) {
    case "/api/fold/tree":
      return ok(treeOf(listed(all, query)))
    case "/api/fold/list":
      return ok(listOf(all, query))
    case "/api/fold/show":
      return found === undefined ? NO_SUCH : ok(shown(found))
    case "/api/fold/restore":
      return found === undefined ? NO_SUCH : ok(restored(found))
    case "/api/fold/search":
      return ok(searched(all, query.get("words") ?? ""))
    default:
      return undefined
  }
}

const ok = (answer: object) => ({ status: 200, answer })

const NO_SUCH = {
  status: 404,
  answer: {
    code: "FOLD_NOT_FOUND",
    message: "There is no such branch or handle here.",
    hint: "Use an id of this session: branch_status lists them for an agent, `qm fold --all` for a person.",
    data: {},
  },
}

function listed(all: readonly Branch[], query: URLSearchParams): readonly Branch[] {
  return query.get("all") === "true" ? all : all.filter((it) => !it.isArchived)
}

function treeOf(branches: readonly Branch[]): FoldTree {
  const sessions = Map.groupBy(branches, (it) => it.sessionId)
  return {
    sessions: [...sessions].map(([sessionId, of]) => ({
      sessionId,
      client: of[0]?.client ?? null,
      startedAt: Math.min(...of.map((it) => it.createdAt)),
      budgetUsed: sum(of.map((it) => it.budgetUsed)),
      tokensKeptOut: sum(of.map((it) => it.tokensKeptOut)),
      branches: [...of],
    })),
  }
}

function listOf(all: readonly Branch[], query: URLSearchParams) {
  const branches = listed(all, query).slice(0, Number(query.get("limit") ?? 100))
  return {
    branches,
    active: all.filter((it) => it.status === "active").length,
    total: all.length,
    tokensKeptOut: sum(branches.map((it) => it.tokensKeptOut)),
  }
}

function shown(branch: Branch): FoldShow {
  return { branch, trail: trailOf(branch) }
}

function restored(branch: Branch): FoldRestore {
  const steps = trailOf(branch).map((it) => `## ${it.seq}. ${it.tool ?? it.kind}\n\n${it.text}`)
  const text = [`# ${branch.description}`, ...steps].join("\n\n")
  return { branchId: branch.id, text, tokens: Math.round(text.length / 4), leftOut: 2 }
}

function searched(all: readonly Branch[], words: string): FoldSearch {
  const wanted = words.toLowerCase()
  const found = all.slice(0, CLAUDE.length + OTHER.length).flatMap((branch) =>
    trailOf(branch).flatMap(({ seq, at, kind, tool, text }) => {
      const line = text.split("\n").find((it) => it.toLowerCase().includes(wanted))
      if (line === undefined) return []
      return [{ branchId: branch.id, description: branch.description, seq, at, kind, tool, line }]
    }),
  )
  return { found, searched: all.length }
}

const sum = (figures: readonly number[]) => figures.reduce((a, b) => a + b, 0)
