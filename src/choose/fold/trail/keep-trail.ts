import { giveOthersATurn, isOwnTool, plural, withoutHiddenCharacters } from "#ground/base"
import type { Tx } from "#ground/store"
import { chargeEnded, storable } from "../budget/charge.ts"
import {
  counterOrRough,
  type FoldDeps,
  isBranchId,
  newId,
  openScrub,
  type Scrub,
  scaleOf,
  sessionOf,
  TERMINAL,
} from "../deps.ts"
import { ScrubFailed } from "../errors.ts"
import {
  insertHandle,
  moveStep,
  type NewHandle,
  type NewStep,
  selectBranch,
  selectCallTools,
  setState,
} from "../queries.ts"
import {
  BranchRow,
  HANDLE_LIFE_MS,
  LARGEST_SHOWN_TOKENS,
  LONGEST_NAME_UNITS,
  MOST_TRAIL_STEPS,
  shortenedText,
  ToolRow,
} from "../rows.ts"
import { digestOf } from "./lines.ts"
import { insertSteps } from "./trail.ts"

/** More than the window of any model. */
const LARGEST_WIRE_UNITS = 40_000_000

export type WireStep = {
  readonly tool: string | null
  readonly text: string
  readonly tokens: number
}

/**
 * Adds the steps that the gateway removed from a window to the trail, once, between the metered
 * steps and the result. False when they could not be scrubbed: try again later.
 */
export async function keepTrail(
  deps: FoldDeps,
  branchId: string,
  steps: readonly WireStep[],
): Promise<boolean> {
  const db = await deps.db()
  const row = await findFolded(db, deps.root(), branchId)
  if (row === undefined) return true
  const calls = await db.all(ToolRow, selectCallTools(row.id))
  // Its own return is its result, which comes last.
  const inside = steps.filter((it) => !isReturnOf(row.id, it))
  const { chosen, left } = chooseSteps(withoutMetered(inside, calls), row.steps)
  const cleanSteps = await cleaned(deps, row, chosen)
  if (cleanSteps === undefined) return false
  const added = left === 0 ? cleanSteps : [...cleanSteps, leftOut(row, left)]
  const scale = await scaleOf(deps)
  const foldedTokens = Math.ceil(steps.reduce((sum, it) => sum + it.tokens, 0) * scale)
  await db.transaction(async (tx) => {
    const now = await findFolded(tx, deps.root(), branchId)
    if (now === undefined) return
    await tx.run(moveStep(now.id, now.steps, now.steps + added.length))
    await insertSteps(
      tx,
      now,
      added.map((it) => it.step),
    )
    for (const { handle } of added) if (handle !== undefined) await tx.run(insertHandle(handle))
    await tx.run(setState(now.id, { ...now.state, isWireKept: true }))
    // Neither hooks nor the provider counted its work; this is what was taken out.
    const uncounted = now.isMeteredByHost ? 0 : foldedTokens - now.budgetUsed
    const at = deps.clock.now()
    if (uncounted > 0) {
      await chargeEnded(tx, now, { now: at, at, source: "wire", tokens: uncounted })
    }
  })
  return true
}

async function findFolded(
  db: Pick<Tx<"fold">, "get">,
  root: string,
  id: string,
): Promise<BranchRow | undefined> {
  const row = isBranchId(id) ? await db.get(BranchRow, selectBranch(root, id)) : undefined
  const isOpenForSteps = row?.state.ending?.mode === "wire" && !row.state.isWireKept
  return isOpenForSteps ? row : undefined
}

/**
 * Calls of our own tools that were metered are in the trail already: the first n calls of a tool
 * are skipped, n being the metered ones.
 */
function withoutMetered(
  steps: readonly WireStep[],
  calls: readonly ToolRow[],
): readonly WireStep[] {
  const metered = new Map<string, number>()
  for (const { tool } of calls) metered.set(tool, (metered.get(tool) ?? 0) + 1)
  return steps.filter(({ tool }) => {
    if (tool === null || !isOwnTool(tool)) return true
    const name = tool.slice(tool.lastIndexOf("__") + 2)
    const there = metered.get(name) ?? 0
    if (there > 0) metered.set(name, there - 1)
    return there === 0
  })
}

function isReturnOf(branchId: string, { tool, text }: WireStep): boolean {
  return tool !== null && isOwnTool(tool) && tool.endsWith("__return") && text.includes(branchId)
}

function chooseSteps(steps: readonly WireStep[], before: number) {
  const room = Math.max(0, MOST_TRAIL_STEPS - before)
  let units = 0
  const within = steps.findIndex((step, at) => {
    units += step.text.length
    return at >= room || units > LARGEST_WIRE_UNITS
  })
  const chosen = within === -1 ? steps : steps.slice(0, within)
  return { chosen, left: steps.length - chosen.length }
}

type KeptStep = { readonly step: NewStep; readonly handle?: NewHandle }

/** Undefined when scrubbing failed: then nothing is stored. */
async function cleaned(
  deps: FoldDeps,
  row: BranchRow,
  steps: readonly WireStep[],
): Promise<readonly KeptStep[] | undefined> {
  try {
    const count = await counterOrRough(deps)
    const scrub = await openScrub(deps)
    const cleanSteps: KeptStep[] = []
    for (const step of steps) {
      cleanSteps.push(keptOf(step, { deps, row, scrub, count }))
      // Requests of the agent must not wait for a whole trail.
      await giveOthersATurn()
    }
    return cleanSteps
  } catch (error) {
    if (ScrubFailed.is(error)) return undefined
    throw error
  }
}

type KeepContext = {
  readonly deps: FoldDeps
  readonly row: BranchRow
  readonly scrub: Scrub
  readonly count: (text: string) => number
}

/** Large texts are stored under a handle, like results of our own tools. */
function keptOf(
  { tool, text, tokens }: WireStep,
  { deps, row, scrub, count }: KeepContext,
): KeptStep {
  const whole = shortenedText(scrub.text(text))
  const name = tool === null ? null : nameOf(scrub.text(tool))
  const step = { ...stepOf(row), tool: name, tokens, text: whole, handle: null }
  if (tokens <= LARGEST_SHOWN_TOKENS) return { step }
  const handle = newId("rh", deps.random)
  const label = name === null ? "Folded out" : `${name}, folded out`
  const createdAt = deps.clock.now()
  return {
    step: { ...step, text: digestOf({ text: whole, tokens, handle, label }, count), handle },
    handle: {
      root: deps.root(),
      principal: row.principal,
      session: row.session,
      branch: row.id,
      handle,
      label,
      tokens,
      createdAt,
      expiresAt: createdAt + HANDLE_LIFE_MS,
      text: whole,
    },
  }
}

function leftOut(row: BranchRow, left: number): KeptStep {
  const text = `[${plural(left, "more step")} folded out and not stored]`
  return { step: { ...stepOf(row), tool: null, tokens: 0, text, handle: null } }
}

/** The wire does not tell when each step happened. */
function stepOf(row: BranchRow) {
  return { at: row.completedAt ?? row.createdAt, kind: "wire" } as const
}

/** Truncated after scrubbing: half a secret is not recognized. */
function nameOf(tool: string): string {
  return storable(withoutHiddenCharacters(tool).slice(0, LONGEST_NAME_UNITS))
}

export type MaskedResult = {
  readonly label: string
  readonly text: string
  readonly tokens: number
}

/** As long as trails: the masked text is in no window any more. */
const MASKED_LIFE_MS = 30 * 24 * 60 * 60 * 1_000

/**
 * Stores tool results that the gateway masked, each under a handle that the agent of the session can
 * read. Undefined when they could not be scrubbed: then nothing is stored.
 */
export async function keepMaskedResults(
  deps: FoldDeps,
  named: string,
  results: readonly MaskedResult[],
): Promise<readonly { readonly handle: string; readonly label: string }[] | undefined> {
  const handles = await maskedHandles(deps, named, results)
  if (handles === undefined) return undefined
  const db = await deps.db()
  await db.transaction(async (tx) => {
    for (const it of handles) await tx.run(insertHandle(it))
  })
  return handles.map(({ handle, label }) => ({ handle, label }))
}

/**
 * Moves what hooks and the plugin of opencode took out of a window to the store, scrubbed; without
 * scrubbing it is lost.
 */
export async function drainReplacedResults(deps: FoldDeps): Promise<void> {
  const trails = (await deps.spool?.drainTrails()) ?? []
  for (const { branchId, steps } of trails) await keepTrail(deps, branchId, steps)
  const results = (await deps.spool?.drainResults()) ?? []
  for (const { session, handle, tool, ...result } of results) {
    const [made] = (await maskedHandles(deps, session, [{ ...result, label: tool }])) ?? []
    if (made === undefined) continue
    const db = await deps.db()
    await db.transaction((tx) => tx.run(insertHandle({ ...made, handle })))
  }
}

async function maskedHandles(
  deps: FoldDeps,
  named: string,
  results: readonly MaskedResult[],
): Promise<readonly NewHandle[] | undefined> {
  try {
    const scrub = await openScrub(deps)
    const session = sessionOf(named, TERMINAL.session, scrub)
    const createdAt = deps.clock.now()
    const handles: NewHandle[] = []
    for (const { label, text, tokens } of results) {
      handles.push({
        root: deps.root(),
        principal: TERMINAL.principal,
        session,
        branch: null,
        handle: newId("rh", deps.random),
        label: nameOf(scrub.text(label)),
        tokens,
        createdAt,
        expiresAt: createdAt + MASKED_LIFE_MS,
        text: shortenedText(scrub.text(text)),
      })
      await giveOthersATurn()
    }
    return handles
  } catch (error) {
    if (ScrubFailed.is(error)) return undefined
    throw error
  }
}
