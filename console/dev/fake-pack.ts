import type {
  ContextPack,
  PackBuilt,
  PackDiff,
  PackFile,
  PackSummaryItem,
} from "../src/contract.ts"
import {
  belowOf,
  CANDIDATES,
  DENIED,
  type FakeCandidate,
  WITHOUT_ROOM,
} from "./fake-pack-tables.ts"
import { textOf } from "./fake-pack-text.ts"
import { WORLD_NOW, type WorldState } from "./fake-world.ts"

type Body = Readonly<Record<string, unknown>>
type Answer = { readonly status: number; readonly answer: unknown }

/** What the fake server kept, newest first; a build with `save` adds to it. */
export type FakePacks = { packs: readonly ContextPack[] }

export const TASK =
  "Quotes and invoices differ by a cent when a stay is split over two berths; fix roundLine without changing the API"
const BUDGET = 24_000
const HOUR_MS = 3_600_000

export function worldPacks(state: WorldState): FakePacks {
  if (state === "empty") return { packs: [] }
  const kept = (body: Body, id: string, hoursAgo: number) => ({
    ...build(body),
    id,
    builtAt: WORLD_NOW - hoursAgo * HOUR_MS,
  })
  return {
    packs: [
      kept({ task: TASK, role: "backend", target: ["src/tariff/rounding.ts"] }, "pk_3", 1),
      kept({ task: TASK, budget: 16_000, drop: ["docs/tariffs.md"] }, "pk_2", 14),
      kept({ task: "Explain how berths are allocated when two ships arrive at once" }, "pk_1", 40),
    ],
  }
}

/** The operations on packages; undefined for every other address. */
export function answerPacks(world: FakePacks, url: URL, body: Body): Answer | undefined {
  const query = url.searchParams
  const one = (name: string) => {
    const id = query.get(name) ?? "last"
    return id === "last" ? world.packs[0] : world.packs.find((it) => it.id === id)
  }
  switch (url.pathname) {
    case "/api/pack/list":
      return ok({ packs: world.packs.map(summaryOf) })
    case "/api/pack/build":
      return refusalOf(body) ?? ok(built(world, body))
    case "/api/pack/show": {
      const pack = one("id")
      return pack === undefined ? NO_SUCH : ok(written(pack, query.get("format") ?? "summary"))
    }
    case "/api/pack/diff": {
      const [from, to] = [one("from"), one("to")]
      return from === undefined || to === undefined ? NO_SUCH : ok(diffOf(from, to))
    }
    default:
      return undefined
  }
}

const ok = (answer: unknown): Answer => ({ status: 200, answer })

type Said = { readonly message: string; readonly hint: string; readonly data?: object }

function refuse(code: string, { message, hint, data = {} }: Said): Answer {
  return { status: 422, answer: { code, message, hint, data } }
}

const NO_SUCH = refuse("PACK_UNKNOWN", {
  message: "There is no kept package of this id.",
  hint: "List the packages with pack.list, or build one with pack.build.",
})

const ROLES = ["implementer", "backend", "frontend", "tester", "reviewer", "any"]

function refusalOf({ role, budget, target }: Body): Answer | undefined {
  if (typeof role === "string" && !ROLES.includes(role)) {
    return refuse("PACK_ROLE_UNKNOWN", {
      message: `There is no role ${role}. Known: ${ROLES.join(", ")}.`,
      hint: "Use one of the known roles, or describe it under pack.roles.",
      data: { role, known: ROLES },
    })
  }
  const denied = DENIED.find((it) => listOf(target).includes(it.path))
  if (denied !== undefined && role === "backend") {
    return refuse("PACK_TARGET_DENIED", {
      message: `${denied.path} may not be in a package: denied for role backend.`,
      hint: "Leave it out of the targets; pack.deny and pack.roles say what is denied.",
      data: { path: denied.path, reason: "denied" },
    })
  }
  if (typeof budget !== "number" || budget >= 300) return undefined
  return refuse("PACK_BUDGET_TOO_SMALL", {
    message: `The opening needs 420 tokens; the budget is ${budget}.`,
    hint: "Raise the budget to at least 420, or name fewer targets.",
    data: { budget, needed: 420, what: "The opening" },
  })
}

function built(world: FakePacks, body: Body): PackBuilt {
  const pack = build(body)
  const isKept = body["save"] !== false
  const kept = { ...pack, id: `pk_${world.packs.length + 1}` }
  if (isKept) world.packs = [kept, ...world.packs]
  return written(isKept ? kept : pack, textIn(body, "format"))
}

const FORMATS = ["summary", "markdown", "xml", "json"] as const

function written(pack: ContextPack, format: string): PackBuilt {
  const named = FORMATS.find((it) => it === format) ?? "summary"
  const text = textOf(pack, named)
  return { pack, format: named, text, textTokens: Math.ceil(text.length / 4), out: null }
}

/** A few rules of thumb in the place of the ranking: enough that every change shows. */
function build(body: Body): ContextPack {
  const task = textIn(body, "task")
  const role = typeof body["role"] === "string" ? body["role"] : null
  const budget = typeof body["budget"] === "number" ? body["budget"] : BUDGET
  const pins = listOf(body["target"])
  const drops = listOf(body["drop"])
  const isNothing = task.includes("nothing")
  const below = belowOf(task.includes("everything") ? 2_000 : 44)
  const all = isNothing ? [] : [...CANDIDATES, ...DENIED, ...below]
  const wanted = all.filter((it, i) => pins.includes(it.path) || i < WITHOUT_ROOM)
  const inIt = wanted.filter((it) => !drops.includes(it.path))
  const order = listOf(body["order"])
  const place = ({ path }: PackFile) => (order.includes(path) ? order.indexOf(path) : order.length)
  const fitting: PackFile[] = []
  for (const file of inIt.map((it) => fileOf(it, { body, isPinned: pins.includes(it.path) }))) {
    if (sumOf(fitting) + file.tokens <= budget) fitting.push(file)
  }
  const files = fitting.toSorted((a, b) => place(a) - place(b) || rank(a) - rank(b))
  const left = all
    .filter((it) => files.every((file) => file.path !== it.path))
    .map((it) => leftOf(it, { role, isDropped: drops.includes(it.path) }))
  const choices = {
    target: [...pins],
    drop: [...drops],
    full: [...listOf(body["full"])],
    symbols: [...listOf(body["symbols"])],
    signatures: [...listOf(body["signatures"])],
    mention: [...listOf(body["mention"])],
    order: [...order],
  }
  return { ...packOf({ task, role, budget, files, left }), choices }
}

/** Whole files first, then what was taken out of others. */
const rank = ({ form }: PackFile): number => (form === "full" || form === "path" ? 0 : 1)

type Parts = Pick<ContextPack, "task" | "role" | "budget" | "files" | "left">

function packOf({ task, role, budget, files, left }: Parts): Omit<ContextPack, "choices"> {
  const kinds = [
    { kind: "files" as const, tokens: sumOf(files.filter((it) => rank(it) === 0)) },
    { kind: "symbols" as const, tokens: sumOf(files.filter((it) => rank(it) === 1)) },
  ]
  return {
    id: "pk_draft",
    task,
    role,
    budget,
    tokens: sumOf(files),
    estimator: "o200k",
    isEmpty: files.length === 0,
    emptyReason: files.length === 0 ? "No file of this repository fits what the task says." : null,
    analysis: {
      filePaths: [],
      symbolNames: ["roundLine"],
      domain: "tariff",
      action: "fix",
      keywords: ["quote", "invoice", "cent", "split", "stay", "berth"],
    },
    files,
    dependencies: DEPENDENCIES,
    left,
    leftCount: left.length,
    signals: {
      used: ["graph", "words", "history"],
      missing: [{ signal: "meaning", why: "the word table is switched off" }],
    },
    advice: [],
    notes: [],
    state: {
      digest: "d4",
      gitSha: null,
      scannedAt: WORLD_NOW - 60_000,
      files: 812,
      commits: 1_904,
      historyProblem: null,
    },
    manifest: {
      digest: "m1",
      kinds: kinds.filter((it) => it.tokens > 0),
      leftTokens: sumOf(left.filter((it) => it.why === "no-room")),
      trust: "project",
      fence: "end-7f3a",
    },
    session: null,
    builtAt: WORLD_NOW,
  }
}

const DEPENDENCIES = [
  { from: "src/tariff/quote.ts", to: "src/tariff/rounding.ts", names: ["roundLine"] },
  { from: "src/tariff/invoice.ts", to: "src/tariff/rounding.ts", names: ["halfEven"] },
  { from: "src/tariff/rounding.ts", to: "src/tariff/money.ts", names: ["Cents", "Milli"] },
]

const SHARE = { full: 1, symbols: 0.46, signatures: 0.2, path: 0 } as const
const LISTS = [
  { list: "full", form: "full" },
  { list: "symbols", form: "symbols" },
  { list: "signatures", form: "signatures" },
  { list: "mention", form: "path" },
] as const

function fileOf(it: FakeCandidate, of: { body: Body; isPinned: boolean }): PackFile {
  const chosen = LISTS.find(({ list }) => listOf(of.body[list]).includes(it.path))
  const form = chosen?.form ?? it.form
  return {
    path: it.path,
    form,
    score: it.score,
    astScore: it.score,
    semanticScore: null,
    source: of.isPinned ? "target" : "both",
    tokens: 14 + Math.round(it.wholeTokens * SHARE[form]),
    wholeTokens: it.wholeTokens,
    pieces: [
      {
        fromLine: 1,
        toLine: 3,
        text: `export type Of${it.symbols[0] ?? "This"} = {\n  total: boolean\n}\n`,
      },
    ],
    symbols: [...it.symbols],
    reasons: [...it.reasons],
    language: "typescript",
    blobId: "b10b",
    isPinned: of.isPinned,
    sentBefore: false,
    redactions: it.path === "src/http/quotes.ts" ? 1 : 0,
  }
}

function leftOf(it: FakeCandidate, of: { role: string | null; isDropped: boolean }) {
  const { path, score, wholeTokens: tokens, reasons } = it
  const isDenied = it.isDenied === true && of.role === "backend"
  const common = { path, score, tokens, reasons: [...reasons] }
  if (of.isDropped) return { ...common, why: "dropped" as const, detail: "dropped by you" }
  if (isDenied) return { ...common, why: "denied" as const, detail: "denied by web/**" }
  if (score < 0.2) return { ...common, why: "below" as const, detail: "below 0.20" }
  return { ...common, why: "no-room" as const, detail: `needs ${tokens} tokens` }
}

function summaryOf(pack: ContextPack): PackSummaryItem {
  const { id, task, role, budget, tokens, files, session, builtAt } = pack
  return { id, task, role, budget, tokens, files: files.length, session, builtAt }
}

function diffOf(from: ContextPack, to: ContextPack): PackDiff {
  const paths = [...new Set([...from.files, ...to.files].map((it) => it.path))]
  const changes = paths.map((path) => {
    const before = from.files.find((it) => it.path === path)
    const after = to.files.find((it) => it.path === path)
    return {
      path,
      change: changeOf(before, after),
      formBefore: before?.form ?? null,
      formAfter: after?.form ?? null,
      tokensBefore: before?.tokens ?? 0,
      tokensAfter: after?.tokens ?? 0,
      scoreBefore: before?.score ?? null,
      scoreAfter: after?.score ?? null,
    }
  })
  return { from: summaryOf(from), to: summaryOf(to), changes }
}

function changeOf(before: PackFile | undefined, after: PackFile | undefined) {
  if (before === undefined) return "added" as const
  if (after === undefined) return "removed" as const
  return before.form === after.form ? ("same" as const) : ("changed" as const)
}

function sumOf(all: readonly { readonly tokens: number }[]): number {
  return all.reduce((sum, it) => sum + it.tokens, 0)
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function textIn(body: Body, field: string): string {
  const value = body[field]
  return typeof value === "string" ? value : ""
}
