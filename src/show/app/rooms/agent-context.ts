import path from "node:path"
import type { ContextPartsRequest } from "#act/agents"
import { isAppError, plural } from "#ground/base"
import { type ContextPart, PackBuilt, type Run } from "#ground/contract"
import { currentBranch } from "#see/repo"
import type { Services } from "../services.ts"

/** Of a branch or folder that is named to an agent. */
const LONGEST_BRANCH_CHARACTERS = 200

type Deps = Pick<
  Services,
  "call" | "clock" | "config" | "log" | "memory" | "pipelines" | "places" | "tokens"
>

/** What is put in front of a turn, each part labelled: the package a run has for it, then ours. */
export async function contextParts(
  run: Run,
  { pack, turn }: ContextPartsRequest,
  deps: Deps,
): Promise<readonly ContextPart[]> {
  const own = [
    ...(await researchPart(run, deps)),
    ...(await memoryPart(run, turn, deps)),
    ...(await ownParts(run, deps)),
  ]
  return pack === undefined ? own : [await packagePart(pack, deps), ...own]
}

/**
 * What a pipeline of this session found out. Read anew for every turn, not only for the first: a
 * host may have compacted its window meanwhile, and a later run has taken its place.
 */
async function researchPart(run: Run, deps: Deps): Promise<readonly ContextPart[]> {
  try {
    const block = await (await deps.pipelines()).promptBlockFor(run.id)
    if (block === undefined) return []
    const { count } = await deps.tokens.counter()
    return [{ label: "prior research", text: block, tokens: count(block) }]
  } catch (error) {
    deps.log.warn("a turn goes without what was found before", { error })
    return []
  }
}

/**
 * What this repository remembers about the first turn: later ones have it in their window already.
 * Without memories, or when they cannot be read, the turn goes on without.
 */
async function memoryPart(
  run: Run,
  turn: string | undefined,
  { config, log, memory }: Deps,
): Promise<readonly ContextPart[]> {
  if (run.turns > 0 || !config().agents.contextParts) return []
  const { default_budget, injection_budget_ratio, memory_min_confidence, memory_max_items } =
    config().context_folding
  try {
    const { inject } = await memory()
    const found = await inject({
      text: turn ?? run.prompt,
      budgetTokens: Math.floor((run.budgetTokens ?? default_budget) * injection_budget_ratio),
      minConfidence: memory_min_confidence,
      most: memory_max_items,
      isPreview: turn === undefined,
    })
    if (found.length === 0) return []
    const tokens = found.reduce((sum, it) => sum + it.tokens, 0)
    const text = found.map((it) => it.text).join("\n")
    return [{ label: `memory, ${plural(found.length, "item")}`, text, tokens }]
  } catch (error) {
    log.warn("a turn goes without memories", { error })
    return []
  }
}

/** Its text has no secret in it: they were replaced before it was kept. */
async function packagePart(id: string, deps: Deps): Promise<ContextPart> {
  try {
    const { pack, text, textTokens } = await showPack(id, deps)
    const label = `package ${id}, ${plural(pack.files.length, "file")}`
    return { label, text, tokens: textTokens, pack: id }
  } catch (error) {
    // Only so many are kept, and a run may wait long: it is said, and the run goes on.
    if (!isAppError(error) || error.code !== "PACK_UNKNOWN") throw error
    const text = `The context package ${id} of this task is no longer kept.`
    const { count } = await deps.tokens.counter()
    return { label: `package ${id}, no longer kept`, text, tokens: count(text), pack: id }
  }
}

/** A stored package, written for a model. */
export async function showPack(id: string, { call }: Pick<Deps, "call">): Promise<PackBuilt> {
  const { signal } = new AbortController()
  return PackBuilt.parse(await call("pack.show", { id, format: "markdown" }, { signal }))
}

/** What is put in front of each turn: small by what it is. */
async function ownParts(run: Run, deps: Deps): Promise<readonly ContextPart[]> {
  // The synthetic agent has no model that could use it.
  if (run.type === "synthetic" || !deps.config().agents.contextParts) return []
  const text = await dateAndState(run, deps)
  const { count } = await deps.tokens.counter()
  return [{ label: "date and state", text, tokens: count(text) }]
}

async function dateAndState(run: Run, { clock, places }: Deps): Promise<string> {
  const { repository } = places()
  const day = new Date(clock.now())
  const where = path.relative(repository.root, run.cwd)
  const branch = plain((await currentBranch(repository)) ?? "")
  return [
    `Today is ${day.toISOString().slice(0, 10)}, a ${WEEKDAYS[day.getUTCDay()]} (UTC).`,
    `Repository ${plain(path.basename(repository.root))}${where === "" ? "" : `, in ${plain(where)}`}.`,
    ...(branch === "" ? [] : [`Branch ${branch}.`]),
  ].join("\n")
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

/** A name that somebody else may have chosen, so that it can be nothing but a name. */
function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._/@+ -]/gu, "_").slice(0, LONGEST_BRANCH_CHARACTERS)
}
