import path from "node:path"
import type { ContextPartsRequest } from "#act/agents"
import { isAppError, plural } from "#ground/base"
import { type ContextPart, PackBuilt, type Run } from "#ground/contract"
import { currentBranch } from "#see/repo"
import type { Services } from "../services.ts"

const LONGEST_BRANCH_CHARACTERS = 200

type Deps = Pick<
  Services,
  "call" | "clock" | "config" | "log" | "memory" | "pipelines" | "places" | "tokens"
>

/** The parts in front of a turn: the run's package first, then ours. */
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
 * The result of the session's newest pipeline, in front of every turn: the host may have compacted
 * its window meanwhile.
 */
async function researchPart(run: Run, deps: Deps): Promise<readonly ContextPart[]> {
  try {
    const block = await (await deps.pipelines()).promptBlockFor(run.id)
    if (block === undefined) return []
    const { count } = await deps.tokens.modelCounter()
    return [{ label: "prior research", text: block, tokens: count(block) }]
  } catch (error) {
    deps.log.warn("turn continues without earlier research", { error })
    return []
  }
}

/**
 * Memories for the first turn only: later turns have them in their window. Without memories, or if
 * they cannot be read, the turn continues without.
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
    const injection = await inject({
      text: turn ?? run.prompt,
      budgetTokens: Math.floor((run.budgetTokens ?? default_budget) * injection_budget_ratio),
      minConfidence: memory_min_confidence,
      most: memory_max_items,
      isPreview: turn === undefined,
    })
    if (injection.length === 0) return []
    const tokens = injection.reduce((sum, it) => sum + it.tokens, 0)
    const text = injection.map((it) => it.text).join("\n")
    return [{ label: `memory, ${plural(injection.length, "item")}`, text, tokens }]
  } catch (error) {
    log.warn("turn continues without memories", { error })
    return []
  }
}

/** Its text was redacted before it was stored. */
async function packagePart(id: string, deps: Deps): Promise<ContextPart> {
  try {
    const { pack, text, textTokens } = await showPack(id, deps)
    const label = `package ${id}, ${plural(pack.files.length, "file")}`
    return { label, text, tokens: textTokens, pack: id }
  } catch (error) {
    // Old packages are deleted and a run may wait long: report it and continue.
    if (!isAppError(error) || error.code !== "PACK_UNKNOWN") throw error
    const text = `The context package ${id} of this task is no longer stored.`
    const { count } = await deps.tokens.modelCounter()
    return { label: `package ${id}, no longer stored`, text, tokens: count(text), pack: id }
  }
}

export async function showPack(id: string, { call }: Pick<Deps, "call">): Promise<PackBuilt> {
  const { signal } = new AbortController()
  return PackBuilt.parse(await call("pack.show", { id, format: "markdown" }, { signal }))
}

async function ownParts(run: Run, deps: Deps): Promise<readonly ContextPart[]> {
  // The synthetic agent has no model.
  if (run.type === "synthetic" || !deps.config().agents.contextParts) return []
  const text = await dateAndState(run, deps)
  const { count } = await deps.tokens.modelCounter()
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

/** Names of folders and branches are untrusted: markup and line breaks become `_`. */
function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}._/@+ -]/gu, "_").slice(0, LONGEST_BRANCH_CHARACTERS)
}
