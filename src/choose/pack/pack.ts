import { type Clock, type Ids, isAppError, isLongText, type Log } from "#ground/base"
import type {
  CallContext,
  Config,
  ContextPack,
  FoundRecord,
  PackBuilt,
  PackFormat,
  PackRecord,
  ParsedInput,
  TaskAnalysis,
  TokenScale,
} from "#ground/contract"
import { type PrepareRedaction, prepareNothing, type Redact, type Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
import { scaleCounter, type TokenCounter } from "#ground/tokens"
import { type IndexedTree, indexStateOf } from "#know/map"
import type { LiftWeights, Ranker } from "#know/search"
import { analyzeTask } from "./analyze.ts"
import {
  type AssembledPack,
  assemblePack,
  countPackTokens,
  createHeadingCounter,
  openingTokensOf,
} from "./assemble.ts"
import { BudgetInvalid, BudgetTooSmall, OutRefused, TaskEmpty } from "./errors.ts"
import { LISTED_PROBABILITY } from "./fit/expected-need.ts"
import { fitWithinBudget } from "./fit/within-budget.ts"
import { selectFiles } from "./fit.ts"
import { adviceFor, type GuidelineText, listGuidelines, readGuidelines } from "./guidelines.ts"
import { createHistory, diffPacks, sentBefore } from "./history/history.ts"
import {
  type BuildInput,
  checkRequest,
  choicesOf,
  formsOf,
  targetsOf,
  taskWarnings,
  unknownPathWarnings,
} from "./input.ts"
import { LONGEST_ADVICE_UNITS, LONGEST_RECORD_UNITS, LONGEST_TASK_UNITS } from "./limits.ts"
import { type RankedFiles, rankFiles } from "./rank.ts"
import { safeLine, safeText } from "./redact.ts"
import { recordLine, renderPack } from "./render.ts"
import { countedBudget, scalePack } from "./scale.ts"
import { validatePack } from "./validate.ts"

export type PackDeps = {
  tree(context: CallContext): Promise<IndexedTree>
  refresh(context: CallContext): Promise<IndexedTree>
  ranker(): Promise<Ranker>
  readonly lift?: LiftWeights
  counter(): Promise<TokenCounter>
  /** From counts to tokens of the model in use; null if its tokens are those of the counter. */
  scale(): Promise<TokenScale | null>
  db(): Promise<Db<"pack">>
  config(): Config
  guidelineFile(): Promise<GuidelineText | undefined>
  /** Claims, tickets, decisions, memories and paragraphs about the task or the files, best first. */
  records?(
    subject: { readonly task: string; readonly paths: readonly string[] },
    context: CallContext,
  ): Promise<readonly FoundRecord[]>
  secrets(): Promise<Pick<Secrets, "redact"> & { readonly prepare?: PrepareRedaction }>
  root(): string
  /** Makes a path from the user relative to the root; undefined outside the repository. */
  place(path: string): string | undefined
  /** Undefined when the caller may not name files of this machine. */
  readonly write?: ((path: string, text: string) => Promise<string>) | undefined
  readonly ids: Ids
  readonly clock: Clock
  readonly log: Log
}

export function createPack(deps: PackDeps) {
  return {
    build: (input: BuildInput, context: CallContext) => build(input, context, deps),
    async list({ limit }: ParsedInput<"pack.list">) {
      return { packs: await (await openHistory(deps)).list(limit) }
    },
    async show({ id, format }: ParsedInput<"pack.show">): Promise<PackBuilt> {
      const pack = await (await openHistory(deps)).find(id)
      return render(pack, format, deps)
    },
    async diff({ from, to }: ParsedInput<"pack.diff">) {
      const history = await openHistory(deps)
      return diffPacks(await history.find(from), await history.find(to))
    },
    async guidelines({ role, action, domain, path }: ParsedInput<"guidelines.list">) {
      const guidelines = readGuidelines(await deps.guidelineFile())
      const paths = path === undefined ? undefined : [path]
      return listGuidelines(guidelines, { role, action, domain, paths })
    },
  }
}

type BuildJob = {
  readonly input: BuildInput
  readonly task: string
  readonly budget: number
  readonly scale: TokenScale | null
  readonly redact: Redact
  readonly prepare: PrepareRedaction
  readonly context: CallContext
  readonly deps: PackDeps
}

async function build(input: BuildInput, context: CallContext, deps: PackDeps): Promise<PackBuilt> {
  const { enabled, budget: defaultBudget } = deps.config().pack
  const budget = input.budget ?? defaultBudget
  if (!Number.isSafeInteger(budget) || budget < 1) throw BudgetInvalid({ budget })
  if (input.out !== undefined && deps.write === undefined) throw OutRefused({})
  const { redact, prepare = prepareNothing } = await deps.secrets()
  const task = safeText(input.task.slice(0, LONGEST_TASK_UNITS), redact).text.trim()
  if (task === "" && targetsOf(input).length === 0) throw TaskEmpty({})

  const scale = await deps.scale()
  const job = { input, task, budget, scale, redact, prepare, context, deps }
  const made = enabled ? await buildPack(job) : await disabledPack(job)
  const notes = [...taskWarnings(input), ...made.notes, ...(await store(made, input, deps))]
  const built = await render({ ...made, notes }, input.format, deps)
  const out = input.out === undefined ? null : await deps.write?.(input.out, built.text)
  return { ...built, out: out ?? null }
}

async function buildPack(job: BuildJob): Promise<ContextPack> {
  const { input, task, context, deps } = job
  checkRequest(input, deps)
  const analysis = analyzeTask(task, {
    domains: deps.config().pack.domains,
    domain: input.domain && safeLine(input.domain, { redact: job.redact, mostUnits: 200 }),
  })
  let tree = await deps.tree(context)
  let ranked = await rank(tree, analysis, job)
  if (ranked.weighed.stale.length > 0) {
    tree = await deps.refresh(context)
    ranked = await rank(tree, analysis, job)
  }
  const assembled = await fitAndAssemble(tree, ranked, job)
  const notes = [
    ...unknownPathWarnings(input, { pathOf: ranked.pathOf, redact: job.redact }),
    ...packWarnings(ranked, assembled),
  ]
  const pack = {
    ...scalePack(assembled, job),
    ...detailsOf(job),
    notes,
    state: indexStateOf(tree),
  }
  const fileOf = (path: string) => tree.files[tree.corpus().positionByPath.get(path) ?? -1]
  validatePack(pack, {
    hasFile: (path, blobId) => fileOf(path)?.blobId === blobId,
    count: scaleCounter(await deps.counter(), job.scale).count,
  })
  return pack
}

async function rank(
  tree: IndexedTree,
  analysis: TaskAnalysis,
  job: BuildJob,
): Promise<RankedFiles> {
  const { input, task, context, deps } = job
  const settings = deps.config().pack
  context.signal.throwIfAborted()
  return rankFiles(
    tree,
    {
      task,
      analysis,
      budgetTokens: countedBudget(job),
      fill: input.fill,
      role: input.role,
      targets: targetsOf(input),
      dropped: input.drop,
      settings,
    },
    {
      ranker: await deps.ranker(),
      lift: deps.lift,
      place: deps.place,
    },
  )
}

async function fitAndAssemble(
  tree: IndexedTree,
  ranked: RankedFiles,
  job: BuildJob,
): Promise<AssembledPack> {
  const { input, task, redact, prepare, scale, deps } = job
  const { count, encoding } = await deps.counter()
  const forms = formsOf(input, ranked.pathOf)
  const advice = await collectAdvice(ranked, job)
  const records = await collectRecords(ranked, job)
  const isSent = await readSentLines(input.session, deps)
  const headingTokens = createHeadingCounter(count)
  const { order } = input
  const lines = { task, advice, records }
  const options = { tree, ranked, ...lines, estimator: encoding, scale, order, redact, count }
  using prepared = new DisposableStack()
  // Awaited, so that the prepared texts stay until the package is assembled.
  return await fitWithinBudget(countedBudget(job), {
    openingTokens: openingTokensOf(options),
    async fit(budgetTokens) {
      const selection = await selectFiles(tree, ranked, {
        budgetTokens,
        truncate: input.truncate,
        closure: input.truncate === "signatures",
        fill: input.fill,
        tokenFactor: scale?.factor ?? 1,
        formOf: (path) => forms.get(path),
        isSent,
        headingTokens,
      })
      const texts = selection.files.map((it) => it.text ?? "")
      prepared.use(await prepare(texts.filter(isLongText)))
      return selection
    },
    assemble: (selection, size) => assemblePack(selection, size, options),
    countTokens: (pack) => countPackTokens(pack, { count, format: input.format ?? "markdown" }),
  }).catch((error: unknown) => {
    if (!BudgetTooSmall.is(error) || scale === null) throw error
    const needed = Math.ceil(error.data.needed * scale.factor)
    throw BudgetTooSmall({ ...error.data, budget: job.budget, needed }, error)
  })
}

async function collectAdvice({ analysis }: RankedFiles, { input, deps, redact }: BuildJob) {
  const guidelines = readGuidelines(await deps.guidelineFile())
  const advice = adviceFor(guidelines, {
    role: input.role,
    action: analysis.action ?? undefined,
    domain: analysis.domain ?? undefined,
    paths: [...targetsOf(input), ...analysis.filePaths],
  })
  const line = { redact, mostUnits: LONGEST_ADVICE_UNITS }
  return advice.map((it) => ({ ...it, text: safeLine(it.text, line) }))
}

const MOST_RECORD_PATHS = 20

/** Records take at most this share of the budget. */
const RECORD_SHARE = 0.15

/** About the files that the task probably needs. A task about something else gets none. */
async function collectRecords(ranked: RankedFiles, job: BuildJob): Promise<readonly PackRecord[]> {
  const { task, redact, context, deps } = job
  if (deps.records === undefined || ranked.unrelated !== undefined) return []
  const likely = ranked.weighed.files.filter((it) => it.probability >= LISTED_PROBABILITY)
  const paths = likely.slice(0, MOST_RECORD_PATHS).map((it) => it.file.path)
  const { count } = await deps.counter()
  const safe = (text: string) => safeLine(text, { redact, mostUnits: LONGEST_RECORD_UNITS })
  let room = countedBudget(job) * RECORD_SHARE
  const fitting: PackRecord[] = []
  for (const it of await deps.records({ task, paths }, context)) {
    const record = { ...it, id: safe(it.id), text: safe(it.text), why: safe(it.why) }
    const tokens = count(`${recordLine(record)}\n`)
    if (tokens > room) continue
    room -= tokens
    fitting.push({ ...record, tokens })
  }
  return fitting
}

async function openHistory(deps: PackDeps) {
  return createHistory(await deps.db(), { root: deps.root() })
}

/** Without a readable history, everything counts as new. */
async function readSentLines(session: string | undefined, deps: PackDeps) {
  if (session === undefined) return () => false
  try {
    return sentBefore(await (await openHistory(deps)).sentIn(session))
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.warn("earlier packages not read", { code: error.code })
    return () => false
  }
}

/** A failed write loses the history entry, never the package. */
async function store(
  pack: ContextPack,
  { save, format }: BuildInput,
  deps: PackDeps,
): Promise<readonly string[]> {
  if (!save) return []
  try {
    await (await openHistory(deps)).store(pack, format ?? null)
    return []
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.warn("package not stored", { code: error.code })
    return [`Not stored in the history: ${error.message} [${error.code}]`]
  }
}

async function render(
  pack: ContextPack,
  format: PackFormat | undefined,
  deps: PackDeps,
): Promise<PackBuilt> {
  const { count } = scaleCounter(await deps.counter(), pack.scale)
  const maxTokens = deps.config().pack.summaryMaxTokens
  const text = renderPack(pack, format ?? "summary", { maxTokens, count })
  return { pack, format: format ?? null, text, textTokens: count(text), out: null }
}

function detailsOf({ input, deps, redact }: BuildJob) {
  return {
    choices: choicesOf(input, redact),
    id: deps.ids.next("pk"),
    role: input.role ?? null,
    session: input.session ?? null,
    builtAt: deps.clock.now(),
  }
}

async function disabledPack(job: BuildJob): Promise<ContextPack> {
  const { deps, task, budget } = job
  const { encoding } = await deps.counter()
  return {
    ...detailsOf(job),
    task,
    budget,
    tokens: 0,
    estimator: encoding,
    scale: job.scale,
    isEmpty: true,
    emptyReason: "Context packages are off. Set pack.enabled to true to turn them on.",
    analysis: analyzeTask(task, { domains: "" }),
    files: [],
    expectation: NO_EXPECTATION,
    dependencies: [],
    left: [],
    leftCount: 0,
    signals: { used: [], missing: [{ signal: "all", why: "context packages are off" }] },
    advice: [],
    records: [],
    notes: [],
    state: { digest: "", gitSha: null, scannedAt: 0, files: 0, commits: 0, historyProblem: null },
    manifest: { digest: "", kinds: [], leftTokens: 0, trust: "project", fence: "qm-nothing" },
  }
}

const NO_EXPECTATION = { recall: 0, curve: [] }

function packWarnings({ weighed }: RankedFiles, { files }: AssembledPack): readonly string[] {
  const redactions = files.reduce((total, it) => total + it.redactions, 0)
  const stale = weighed.stale.length
  return [
    ...(redactions > 0 ? [`Secrets redacted: ${redactions}.`] : []),
    ...(stale > 0 ? [`Files left out because they changed during the build: ${stale}.`] : []),
  ]
}
