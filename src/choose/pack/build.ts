import { type Clock, type Ids, isAppError, type Log } from "#ground/base"
import type {
  CallContext,
  Config,
  ContextPack,
  IndexState,
  PackBuilt,
  PackFormat,
} from "#ground/contract"
import type { Redact, Secrets } from "#ground/secrets"
import type { Db } from "#ground/store"
import type { TokenCounter } from "#ground/tokens"
import type { IndexedTree } from "#know/map"
import type { LiftWeights, Meaning, Ranker } from "#know/search"
import { analyzeTask } from "./analyze/analyze.ts"
import { type Asked, choicesOf, formsOf, targetsOf } from "./asked.ts"
import { composePack } from "./compose.ts"
import { BudgetInvalid, OutRefused, TargetOutside, TaskEmpty } from "./errors.ts"
import { adviceFor, type GuidelineText, readGuidelines } from "./guidelines/guidelines.ts"
import { createKept } from "./kept/kept.ts"
import { sentBefore } from "./kept/sent.ts"
import { LONGEST_ADVICE_UNITS, LONGEST_TASK_UNITS } from "./limits.ts"
import { notesOf, taskNotes, unknownNotes } from "./notes.ts"
import { type PrepareDeps, type Prepared, prepare } from "./prepare.ts"
import { renderPack } from "./render/render.ts"
import { roleRule } from "./roles.ts"
import { safeLine, safeText } from "./safe.ts"
import { validatePack } from "./validate.ts"

export type PackDeps = {
  /** The tree as fresh as the config wants it; scanned now if need be. */
  tree(context: CallContext): Promise<IndexedTree>
  /** The tree after another look at the disk. */
  refresh(context: CallContext): Promise<IndexedTree>
  ranker(): Promise<Ranker>
  /** Asked where the table of words is switched on; undefined, or a failure, where it is not there. */
  meaning?(tree: IndexedTree): Promise<Meaning | undefined>
  readonly lift?: LiftWeights
  counter(): Promise<TokenCounter>
  db(): Promise<Db<"pack">>
  config(): Config
  /** `.qm/guidelines.json`, if there is one. */
  guidelineFile(): Promise<GuidelineText | undefined>
  secrets(): Promise<Pick<Secrets, "redact">>
  /** Of the repository whose packages these are: a store may be shared by several. */
  root(): string
  /** A path as a person gave it, from the root; undefined outside of the repository. */
  place(path: string): string | undefined
  /** Writes a package into a file; undefined where nobody may name a file of this machine. */
  readonly write?: ((path: string, text: string) => Promise<string>) | undefined
  readonly ids: Ids
  readonly clock: Clock
  readonly log: Log
}

type BuildInput = Asked<"pack.build">

/** Builds a package, keeps it if it may be kept, and writes it out in the format asked for. */
export async function build(
  input: BuildInput,
  context: CallContext,
  deps: PackDeps,
): Promise<PackBuilt> {
  const { enabled, budget: usual } = deps.config().pack
  const budget = input.budget ?? usual
  if (!Number.isSafeInteger(budget) || budget < 1) throw BudgetInvalid({ budget })
  if (input.out !== undefined && deps.write === undefined) throw OutRefused({})
  const { redact } = await deps.secrets()
  const task = safeText(input.task.slice(0, LONGEST_TASK_UNITS), redact).text.trim()
  if (task === "" && targetsOf(input).length === 0) throw TaskEmpty({})

  const building = { input, task, budget, redact, context, deps }
  const made = enabled ? await buildFresh(building) : await switchedOff(building)
  const notes = [...taskNotes(input), ...made.notes, ...(await keep(made, input, deps))]
  const pack = { ...made, notes }
  const written = await rendered(pack, input.format, deps)
  const out = input.out === undefined ? null : await deps.write?.(input.out, written.text)
  return { ...written, out: out ?? null }
}

type Building = {
  readonly input: BuildInput
  readonly task: string
  readonly budget: number
  readonly redact: Redact
  readonly context: CallContext
  readonly deps: PackDeps
}

/** A file that changed since the scan is scanned again, once: what is sent is what is there. */
async function buildFresh(building: Building): Promise<ContextPack> {
  const { context, deps } = building
  checkAsked(building)
  const tree = await deps.tree(context)
  const prepared = await prepareIn(tree, building)
  if (prepared.weighed.stale.length === 0) return finish(tree, prepared, building)
  const newer = await deps.refresh(context)
  return finish(newer, await prepareIn(newer, building), building)
}

/** What can be told from the request alone is told before anybody waits for a scan. */
function checkAsked({ input, deps }: Building): void {
  roleRule(deps.config().pack.roles, input.role)
  const outside = targetsOf(input).find((it) => deps.place(it) === undefined)
  if (outside !== undefined) throw TargetOutside({ path: outside })
}

async function prepareIn(tree: IndexedTree, building: Building): Promise<Prepared> {
  const { input, task, budget, deps } = building
  const settings = deps.config().pack
  building.context.signal.throwIfAborted()
  return prepare(
    tree,
    {
      task,
      budgetTokens: budget,
      role: input.role,
      domain: input.domain,
      targets: targetsOf(input),
      dropped: input.drop,
      settings,
    },
    {
      ranker: await deps.ranker(),
      lift: deps.lift,
      place: deps.place,
      ...(settings.wordTable && (await meaningOf(tree, deps))),
    },
  )
}

type MeaningFound = Pick<PrepareDeps, "meaning" | "meaningProblem">

/** Without it a package is still good: what is missing is said, with the reason. */
async function meaningOf(tree: IndexedTree, deps: PackDeps): Promise<MeaningFound> {
  try {
    const meaning = await deps.meaning?.(tree)
    return meaning === undefined ? { meaningProblem: NO_TABLE } : { meaning }
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.warn("meaning not used", { code: error.code })
    return { meaningProblem: `${error.message} [${error.code}]` }
  }
}

const NO_TABLE = "switched on, but there is no table of words here"

async function finish(
  tree: IndexedTree,
  prepared: Prepared,
  building: Building,
): Promise<ContextPack> {
  const { input, task, budget, redact, deps } = building
  const counter = await deps.counter()
  const forms = formsOf(input, prepared.pathOf)
  const composed = await composePack({
    tree,
    prepared,
    task,
    budget,
    estimator: counter.encoding,
    advice: await advice(prepared, building),
    isXml: input.format === "xml",
    order: input.order,
    fitting: {
      truncate: input.truncate,
      closure: input.truncate === "signatures",
      formOf: (path) => forms.get(path),
      isSent: await sentIn(input.session, deps),
    },
    redact,
    count: counter.count,
  })
  const notes = [...unknownNotes(prepared, building), ...notesOf(prepared, composed)]
  const pack = { ...composed, ...detailsOf(building), notes }
  const whole = { ...pack, state: stateOf(tree) }
  const fileOf = (path: string) => tree.files[tree.corpus().positionByPath.get(path) ?? -1]
  const hasFile = (path: string, id: string) => fileOf(path)?.blobId === id
  validatePack(whole, { hasFile, count: counter.count })
  return whole
}

function detailsOf({ input, deps, redact }: Building) {
  return {
    choices: choicesOf(input, redact),
    id: deps.ids.next("pk"),
    role: input.role ?? null,
    session: input.session ?? null,
    builtAt: deps.clock.now(),
  }
}

async function advice({ analysis }: Prepared, { input, deps, redact }: Building) {
  const guidelines = readGuidelines(await deps.guidelineFile())
  const { action, domain } = analysis
  const said = adviceFor(guidelines, {
    role: input.role,
    action: action ?? undefined,
    domain: domain ?? undefined,
    paths: [...targetsOf(input), ...analysis.filePaths],
  })
  const line = { redact, mostUnits: LONGEST_ADVICE_UNITS }
  return said.map((it) => ({ ...it, text: safeLine(it.text, line) }))
}

export async function keptIn(deps: PackDeps) {
  return createKept(await deps.db(), { root: deps.root() })
}

/** Without a history of packages everything is new. */
async function sentIn(session: string | undefined, deps: PackDeps) {
  if (session === undefined) return () => false
  try {
    return sentBefore(await (await keptIn(deps)).sentIn(session))
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.warn("earlier packages not read", { code: error.code })
    return () => false
  }
}

/** A store that cannot be written costs the person the history, never the package. */
async function keep(
  pack: ContextPack,
  { save, format }: BuildInput,
  deps: PackDeps,
): Promise<readonly string[]> {
  if (!save) return []
  try {
    await (await keptIn(deps)).keep(pack, format ?? null)
    return []
  } catch (error) {
    if (!isAppError(error)) throw error
    deps.log.warn("package not kept", { code: error.code })
    return [`It was not kept: ${error.message} [${error.code}]`]
  }
}

function stateOf(tree: IndexedTree): IndexState {
  return {
    digest: tree.digest,
    gitSha: tree.gitSha ?? null,
    scannedAt: tree.scannedAtMs,
    files: tree.files.length,
    commits: tree.commits.length,
    historyProblem: tree.historyProblem ?? null,
  }
}

const SWITCHED_OFF = "Context packages are switched off; pack.enabled switches them on."

/** Nothing is read: who switched packages off wants no scan either. */
async function switchedOff(building: Building): Promise<ContextPack> {
  const { deps, task, budget } = building
  const { encoding } = await deps.counter()
  const why = "context packages are switched off"
  return {
    ...detailsOf(building),
    task,
    budget,
    tokens: 0,
    estimator: encoding,
    isEmpty: true,
    emptyReason: SWITCHED_OFF,
    analysis: analyzeTask(task, { domains: [] }),
    files: [],
    dependencies: [],
    left: [],
    leftCount: 0,
    signals: { used: [], missing: [{ signal: "all", why }] },
    advice: [],
    notes: [],
    state: { digest: "", gitSha: null, scannedAt: 0, files: 0, commits: 0, historyProblem: null },
    manifest: { digest: "", kinds: [], leftTokens: 0, trust: "project", fence: "qm-nothing" },
    session: building.input.session ?? null,
  }
}

export async function rendered(
  pack: ContextPack,
  format: PackFormat | undefined,
  deps: PackDeps,
): Promise<PackBuilt> {
  const { count } = await deps.counter()
  const text = renderPack(pack, format ?? "summary", {
    maxTokens: deps.config().pack.summaryMaxTokens,
    count,
  })
  return { pack, format: format ?? null, text, textTokens: count(text), out: null }
}
