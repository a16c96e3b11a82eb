import { createHash } from "node:crypto"
import { formatExact, plural } from "#ground/base"
import type { ContextPack, PackAdvice, PackFile, PackLeft } from "#ground/contract"
import type { Redact } from "#ground/secrets"
import type { IndexedTree } from "#know/map"
import { assembleFile } from "./assemble.ts"
import { dependenciesIn } from "./closure.ts"
import { sum } from "./draft.ts"
import { BudgetTooSmall } from "./errors.ts"
import { leftFile } from "./filter.ts"
import { MOST_FITTINGS, MOST_LEFT_LISTED } from "./limits.ts"
import type { Prepared } from "./prepare.ts"
import { fenceFor } from "./render/fence.ts"
import { headingOf } from "./render/heading.ts"
import { closingOf, renderMarkdown } from "./render/markdown.ts"
import { openingOf } from "./render/opening.ts"
import { renderXml } from "./render/xml.ts"
import { safeText } from "./safe.ts"
import { type Selection, type SelectOptions, select } from "./select.ts"

/** What the words of a package are made of, beside what was prepared. */
export type Composing = {
  readonly tree: IndexedTree
  readonly prepared: Prepared
  /** Redacted. */
  readonly task: string
  readonly budget: number
  readonly estimator: string
  readonly advice: readonly PackAdvice[]
  readonly isXml: boolean
  readonly order: readonly string[]
  readonly fitting: Omit<SelectOptions, "budgetTokens" | "headingTokens">
  readonly redact: Redact
  readonly count: (text: string) => number
}

type OnlyThisBuild = "id" | "builtAt" | "role" | "session" | "choices" | "notes" | "state"

/** A package without what only this build has: its id, its time, for whom. */
export type Composed = Omit<ContextPack, OnlyThisBuild>

/** A package within the budget. Where there can be none, what is said to be enough was tried. */
export async function composePack(composing: Composing): Promise<Composed> {
  try {
    return await composeWithin(composing)
  } catch (error) {
    if (!BudgetTooSmall.is(error)) throw error
    const needed = await enoughFor(composing, error.data.needed)
    throw BudgetTooSmall({ ...error.data, budget: composing.budget, needed }, error)
  }
}

/** The least budget that holds, in the format asked for: parts alone do not tell what a whole has. */
async function enoughFor(composing: Composing, guess: number): Promise<number> {
  const isEnough = async (budget: number) => {
    try {
      await composeWithin({ ...composing, budget })
      return true
    } catch (error) {
      if (!BudgetTooSmall.is(error)) throw error
      return false
    }
  }
  let short = composing.budget
  let enough = Math.max(guess, short + 1)
  while (!(await isEnough(enough))) {
    short = enough
    enough *= 2
  }
  while (enough - short > 1) {
    const middle = Math.floor((short + enough) / 2)
    if (await isEnough(middle)) enough = middle
    else short = middle
  }
  return enough
}

/**
 * Fits, writes and counts until the whole text is within the budget. Parts are counted one by one,
 * and a text may have more tokens than its parts: then the room is made smaller by what was over.
 */
async function composeWithin(composing: Composing): Promise<Composed> {
  const { budget, count } = composing
  const openingTokens = count(openingOf(emptyOpening(composing)))
  const selectIn = selectorOf(composing, openingTokens)
  let room = budget - openingTokens
  for (let attempt = 1; ; attempt++) {
    const selection = await selectIn(Math.max(0, room))
    const { leastTokens } = selection
    if (room < 0) throw tooSmall(budget, openingTokens, leastTokens)
    const pack = composeOnce(composing, selection)
    const over = tokensOf(pack, composing) - budget
    if (over <= 0) return pack
    if (room <= leastTokens) throw tooSmall(budget, budget + over, leastTokens)
    // The last try is the least that there can be: what fits so is never refused.
    const smaller = attempt < MOST_FITTINGS ? room - over - SLACK_TOKENS : leastTokens
    room = Math.max(leastTokens, smaller)
  }
}

/** What targets need is said together with what stands before them. */
function selectorOf(composing: Composing, openingTokens: number) {
  const { tree, prepared, budget, count } = composing
  const headingTokens = headingCounter(count)
  return async (budgetTokens: number): Promise<Selection> => {
    try {
      return await select(tree, prepared, { ...composing.fitting, budgetTokens, headingTokens })
    } catch (error) {
      if (!BudgetTooSmall.is(error)) throw error
      const needed = error.data.needed + openingTokens
      // Where parts and whole differ, it may be a few more than the budget that was too small.
      throw BudgetTooSmall({ ...error.data, budget, needed: Math.max(needed, budget + 1) }, error)
    }
  }
}

/** What the least package that can be has more than none. */
const SLACK_TOKENS = 4

function tooSmall(budget: number, needed: number, leastTokens: number) {
  const what = leastTokens > 0 ? "What is named" : "What stands before the first file"
  return BudgetTooSmall({ budget, needed, what })
}

function emptyOpening({ task, advice }: Composing) {
  const manifest = { ...NO_MANIFEST, fence: fenceFor("", []) }
  return { task, advice: [...advice], manifest, isEmpty: false, emptyReason: null }
}

const NO_MANIFEST = { digest: "", kinds: [], leftTokens: 0, trust: "project" as const, fence: "" }

function headingCounter(count: (text: string) => number): SelectOptions["headingTokens"] {
  const known = new Map<string, number>()
  return ({ file: { path, blobId } }) => {
    const tokens =
      known.get(path) ?? count(headingOf({ path, blobId, form: "signatures", sentBefore: false }))
    known.set(path, tokens)
    return tokens
  }
}

function tokensOf(pack: Composed, { count, isXml }: Composing): number {
  const markdown = count(renderMarkdown(asPack(pack)))
  return isXml ? Math.max(markdown, count(renderXml(asPack(pack)))) : markdown
}

/** For rendering, which reads none of what is left out here. */
function asPack(pack: Composed): ContextPack {
  return { ...pack, ...NO_DETAILS }
}

const NO_CHOICES = {
  target: [],
  drop: [],
  full: [],
  symbols: [],
  signatures: [],
  mention: [],
  order: [],
}

const NO_DETAILS = {
  id: "",
  builtAt: 0,
  role: null,
  session: null,
  choices: NO_CHOICES,
  notes: [],
  state: { digest: "", gitSha: null, scannedAt: 0, files: 0, commits: 0, historyProblem: null },
}

function composeOnce(composing: Composing, selection: Selection): Composed {
  const { task, prepared, advice, count } = composing
  const assembled = selection.files.map((it) => assembleFile(it, composing))
  const ordered = inOrder(
    assembled,
    composing.order.flatMap((it) => prepared.pathOf(it) ?? []),
  )
  const digest = digestOf(ordered, { task, advice })
  const fence = fenceFor(digest, textsOf(ordered, { task, advice }))
  const closingTokens = count(closingOf(fence))
  const files = ordered.map((it) =>
    it.pieces.length === 0 ? it : { ...it, tokens: it.tokens + closingTokens },
  )
  const paths = new Set(files.map((it) => it.path))
  const left = leftOf(composing, selection, paths)
  return {
    task,
    budget: composing.budget,
    tokens: sum(files.map((it) => it.tokens)),
    estimator: composing.estimator,
    isEmpty: files.length === 0,
    emptyReason: files.length === 0 ? emptyReason(composing, left) : null,
    analysis: prepared.analysis,
    files,
    dependencies: dependenciesIn(selection.edges, paths).map((it) => ({
      ...it,
      names: it.names.map((name) => safeText(name, composing.redact).text),
    })),
    left: listed(left),
    leftCount: left.length,
    signals: { used: [...prepared.signals.used], missing: [...prepared.signals.missing] },
    advice: [...advice],
    manifest: {
      digest,
      kinds: kindsOf(files),
      leftTokens: sum(left.filter((it) => it.why === "no-room").map((it) => it.tokens)),
      trust: "project",
      fence,
    },
  }
}

/** As a person ordered them; the rest follows, best first. */
function inOrder(files: readonly PackFile[], order: readonly string[]): readonly PackFile[] {
  const places = new Map(order.map((path, place) => [path, place]))
  const placeOf = (file: PackFile) => places.get(file.path) ?? order.length
  return files.toSorted((a, b) => placeOf(a) - placeOf(b))
}

type Said = Pick<Composing, "task" | "advice">

function digestOf(files: readonly PackFile[], { task, advice }: Said): string {
  const sent = files.map(({ path, blobId, form, pieces }) => [path, blobId, form, pieces])
  return createHash("sha256")
    .update(JSON.stringify([task, advice, sent]))
    .digest("hex")
}

function textsOf(files: readonly PackFile[], { task, advice }: Said): readonly string[] {
  const sent = files.flatMap((it) => [it.path, ...it.pieces.map((piece) => piece.text)])
  return [task, ...advice.map((it) => it.text), ...sent]
}

function kindsOf(files: readonly PackFile[]) {
  const isWhole = (it: PackFile) => it.form === "full" || it.form === "path"
  return [
    { kind: "files" as const, tokens: sum(files.filter(isWhole).map((it) => it.tokens)) },
    {
      kind: "symbols" as const,
      tokens: sum(files.filter((it) => !isWhole(it)).map((it) => it.tokens)),
    },
  ]
}

/** All that stayed out: for lack of room, beyond those looked at, and by the rules. */
function leftOf(
  { prepared }: Composing,
  selection: Selection,
  inside: ReadonlySet<string>,
): readonly PackLeft[] {
  const byPath = new Map(prepared.weighed.files.map((it) => [it.file.path, it]))
  const crowdedOut = selection.left.flatMap(({ path, needs }) => {
    const file = byPath.get(path)
    const detail = `needs ${formatExact(needs)} tokens`
    return file === undefined ? [] : [leftFile(file, { why: "no-room", detail })]
  })
  const beyond = prepared.weighed.beyond.map((it) =>
    leftFile(it, { why: "no-room", detail: "behind those that fill it" }),
  )
  return [...crowdedOut, ...beyond, ...prepared.left]
    .filter((it) => !inside.has(it.path))
    .toSorted((a, b) => b.score - a.score)
}

/** A person's own decisions and rules are listed all; of the rest the best. */
function listed(left: readonly PackLeft[]): PackLeft[] {
  const isDecided = (it: PackLeft) => it.why === "dropped" || it.why === "denied"
  let others = 0
  return left.filter((it) => isDecided(it) || ++others <= MOST_LEFT_LISTED)
}

function emptyReason({ tree, prepared }: Composing, left: readonly PackLeft[]): string {
  if (tree.files.length === 0) return "The repository has no file that can be read."
  if (prepared.signals.used.length === 0) return "The task has no word to search for."
  if (prepared.scored.length === 0) return "Nothing in this repository matches the task."
  if (left.some((it) => it.why === "no-room")) return "No file fits into the budget."
  return `None of ${plural(tree.files.length, "file")} is relevant and allowed.`
}
