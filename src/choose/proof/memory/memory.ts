import { z } from "zod"
import { type Clock, parseJson, readTextBounded } from "#ground/base"
import type { BenchMemory, CallContext } from "#ground/contract"
import { rankMemories, type StoredMemory } from "#know/memory"
import {
  type Bm25fWeights,
  createPostings,
  indexSymbol,
  measureSymbols,
  readQuery,
  SYMBOL_FIELDS,
  scoreSymbols,
} from "#know/search"
import { NoQuestionMeasured, QuestionsInvalid } from "../errors.ts"
import { issueHalf } from "../issues/issue-tasks.ts"
import { type MeasuredOrder, measureOrder, rankersOf } from "../issues/issues.ts"
import type { TaskHalf } from "../recall/tasks.ts"

const LARGEST_FILE_BYTES = 500_000_000

const Id = z.string().min(1).max(1_000)
const Text = z.string().max(1_000_000)

const MemoryRow = z.object({
  set: Id.default("all"),
  memory: Id,
  title: Text.default(""),
  text: Text.min(1),
})
type MemoryRow = z.infer<typeof MemoryRow>

const QuestionRow = z.object({
  set: Id.default("all"),
  id: Id,
  question: Text.min(1),
  evidence: z.array(Id).max(10_000),
})
type QuestionRow = z.infer<typeof QuestionRow>

type MemoryInput = {
  readonly file: string
  readonly questions: number
  readonly half: TaskHalf
}

/** Memories of one set are searched together; a question is measured against its evidence. */
export async function measureMemory(
  input: MemoryInput,
  clock: Clock,
  { signal, onProgress }: CallContext,
): Promise<BenchMemory> {
  const { memories, questions } = await readRows(input.file)
  const sets = new Map(
    [...Map.groupBy(memories, (it) => it.set)].map(([set, rows]) => [set, searchersOf(rows)]),
  )
  const ofHalf = questions.filter((it) => input.half === "all" || issueHalf(it.id) === input.half)
  const chosen = ofHalf.slice(0, input.questions)
  const measured = new Map<string, MeasuredOrder[]>()
  const skipped = new Map<string, number>()
  const skip = (reason: string) => skipped.set(reason, (skipped.get(reason) ?? 0) + 1)
  const startedAtMs = clock.monotonicMs()
  let count = 0
  for (const [done, { set, question, evidence }] of chosen.entries()) {
    signal.throwIfAborted()
    onProgress?.({ what: "questions", done, total: chosen.length })
    const searchers = sets.get(set)
    const truth = new Set(evidence)
    if (searchers === undefined) skip("its set has no memory")
    else if (truth.size === 0) skip("it has no evidence")
    else if (evidence.some((it) => !searchers.ids.has(it))) skip("its evidence is no memory")
    else {
      count++
      for (const { name, search } of searchers.searches) {
        const order = measureOrder(search(question), truth)
        measured.set(name, [...(measured.get(name) ?? []), order])
      }
    }
  }
  const [reason = "the file has no question"] = skipped.keys()
  if (count === 0) throw NoQuestionMeasured({ questions: chosen.length, reason })
  return {
    questions: count,
    sets: sets.size,
    memories: memories.length,
    skipped: [...skipped].map(([why, tasks]) => ({ reason: why, tasks })),
    rankers: rankersOf([...measured].map(([name, orders]) => ({ name, measured: orders }))),
    millisecondsPerQuestion: (clock.monotonicMs() - startedAtMs) / count,
  }
}

async function readRows(file: string) {
  const outcome = await readTextBounded(file, { maxBytes: LARGEST_FILE_BYTES })
  if (outcome.kind !== "read") throw QuestionsInvalid({ file, line: 0, reason: outcome.kind })
  const memories: MemoryRow[] = []
  const questions: QuestionRow[] = []
  for (const [at, text] of outcome.text.split("\n").entries()) {
    if (text.trim() === "") continue
    const parsed = parseJson(text)
    const isMemory = typeof parsed === "object" && parsed !== null && "memory" in parsed
    const row = isMemory ? MemoryRow.safeParse(parsed) : QuestionRow.safeParse(parsed)
    if (!row.success) {
      const [issue] = row.error.issues
      const reason = `${issue?.path.join(".") || "line"}: ${issue?.message ?? "invalid"}`
      throw QuestionsInvalid({ file, line: at + 1, reason })
    }
    if ("memory" in row.data) memories.push(row.data)
    else questions.push(row.data)
  }
  return { memories, questions }
}

type MemorySearcher = {
  readonly name: string
  readonly search: (question: string) => readonly string[]
}

function searchersOf(rows: readonly MemoryRow[]) {
  const stored = rows.map(storedOf)
  const ours = (name: string, usesForms: boolean): MemorySearcher => ({
    name,
    search: (question) =>
      rankMemories(question, stored, { now: 0, usesForms }).map((it) => it.kept.entry.id),
  })
  const searches = [
    wordSearch(rows),
    ours("qm", true),
    ours("qm without word forms", false),
  ] satisfies readonly MemorySearcher[]
  return { ids: new Set(rows.map((it) => it.memory)), searches }
}

const NO_FIELD = { weight: 0, b: 0 }

/** Plain BM25 over title and text. */
const WORD_WEIGHTS: Bm25fWeights = {
  k1: 1.2,
  path: NO_FIELD,
  name: NO_FIELD,
  signature: NO_FIELD,
  comments: NO_FIELD,
  body: { weight: 1, b: 0.75 },
}

function wordSearch(rows: readonly MemoryRow[]): MemorySearcher {
  const postings = createPostings(SYMBOL_FIELDS.length)
  const terms = rows.map(({ title, text }, at) => {
    const body = `${title}\n${text}`
    const own = indexSymbol({ path: "", name: "", signature: "", comments: "", body })
    postings.put(at, own.counts)
    return own
  })
  const index = { postingsOf: postings.of, lengths: measureSymbols(terms) }
  return {
    name: "bm25",
    search: (question) =>
      scoreSymbols(readQuery(question), index, WORD_WEIGHTS).flatMap(
        ({ symbol }) => rows[symbol]?.memory ?? [],
      ),
  }
}

/** As the product stores a confirmed note; all have the same age. */
function storedOf({ memory, title, text }: MemoryRow): StoredMemory {
  return {
    file: memory,
    entry: {
      id: memory,
      kind: "term",
      title,
      description: title,
      body: text,
      cites: [],
      source: {
        session: null,
        actor: "human",
        commit: null,
        isUntrusted: false,
        isDistilled: false,
      },
      state: "confirmed",
      supersededBy: null,
      signals: { helpful: 0, unhelpful: 0, succeeded: 0, failed: 0 },
      createdAt: 0,
    },
  }
}
