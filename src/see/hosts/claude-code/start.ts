import path from "node:path"
import { formatExact } from "#ground/base"
import type { HostBaselines, StartBaseline } from "../baseline.ts"
import type { HostStart, SkillListing } from "../host.ts"
import { fitDescriptions, type ListingEntry, widthOf } from "../listing-budget.ts"
import { claudeProjectSlug } from "../transcripts/find-transcripts.ts"
import type { ClaudeContext } from "./instructions/instructions.ts"
import { isOn, within } from "./settings.ts"
import { CLAUDE_CODE_BASELINES } from "./start.generated.ts"

/** Share of the window, in characters, for the listing of skills. */
const LISTING_SHARE = 0.01

/** Models with the older tokenizer; the host assumes four bytes a token for them, else three. */
const OLDER_MODELS = /claude-(?:3|(?:opus|sonnet)-4-[0-6]|haiku-4-5)/

/** The window of a model whose name ends with `[1m]`. */
const LONG_WINDOW = 1_000_000
const SHORT_WINDOW = 200_000

type ListingBudget = { readonly characters: number; readonly reason: string }

type ClaudeModel = {
  readonly baseline: StartBaseline
  readonly model: string
  readonly window: number
}

/** The model that a new session would use, with the measured baseline that is nearest to it. */
function chosenModel({ place, settings }: ClaudeContext): ClaudeModel {
  const chosen = [place.environment["ANTHROPIC_MODEL"], settings.value("model")].find(
    (it): it is string => typeof it === "string" && it !== "",
  )
  const baseline = baselineFor(chosen ?? "", CLAUDE_CODE_BASELINES)
  // An alias such as `opus` names no version.
  const model = chosen?.includes("claude-") === true ? chosen.replace("[1m]", "") : baseline.model
  const isLong = chosen?.endsWith("[1m]") === true
  const isShortened = isOn(place.environment["CLAUDE_CODE_DISABLE_1M_CONTEXT"])
  if (isShortened) return { baseline, model, window: Math.min(baseline.window, SHORT_WINDOW) }
  return { baseline, model, window: isLong ? LONG_WINDOW : baseline.window }
}

function baselineFor(name: string, { models }: HostBaselines): StartBaseline {
  const [first] = models
  if (first === undefined) throw new Error("no model was measured")
  const plain = name.replace("[1m]", "").toLowerCase()
  const exact = models.find((it) => plain.includes(it.model))
  const family = ["opus", "sonnet", "haiku", "fable"].find((it) => plain.includes(it))
  const ofFamily = models.filter((it) => family !== undefined && it.model.includes(family))
  if (exact !== undefined) return exact
  return (OLDER_MODELS.test(plain) ? ofFamily.at(-1) : ofFamily[0]) ?? first
}

function listingBudget(context: ClaudeContext): ListingBudget {
  const { place, settings } = context
  const own = Number(place.environment["SLASH_COMMAND_TOOL_CHAR_BUDGET"])
  if (Number.isInteger(own) && own > 0) {
    return { characters: own, reason: "SLASH_COMMAND_TOOL_CHAR_BUDGET" }
  }
  const { baseline, window } = chosenModel(context)
  const bytesPerToken = OLDER_MODELS.test(baseline.model) ? 4 : 3
  const setting = settings.value("skillListingBudgetFraction")
  const share = typeof setting === "number" && setting > 0 && setting <= 1 ? setting : LISTING_SHARE
  const characters = Math.max(1, Math.floor(window * bytesPerToken * share))
  const percent = Number((share * 100).toFixed(2))
  return { characters, reason: `${percent} % of a window of ${formatExact(window)} tokens` }
}

export type DraftLine = {
  readonly name: string
  readonly path: string
  readonly full: string
  readonly nameOnly: string
  readonly isFixed: boolean
}

export type FittedListing = {
  readonly lines: ReadonlyMap<string, string>
  readonly listing: SkillListing
}

/** Decides which skills keep their description; the built-in ones always do. */
export function fitListing(drafts: readonly DraftLine[], context: ClaudeContext): FittedListing {
  const budget = listingBudget(context)
  const { baseline } = chosenModel(context)
  const builtIn = baseline.skills.map(
    ({ name, characters, isFixed }): ListingEntry => ({
      full: "x".repeat(characters),
      nameOnly: `- ${name}`,
      isFixed,
      score: scoreOf(name, context),
    }),
  )
  const entries = drafts.map((it) => ({ ...it, score: scoreOf(it.name, context) }))
  const all = [...entries, ...builtIn]
  const isWhole = fitDescriptions(all, budget.characters)
  const lines = new Map(
    drafts.map((it, index) => [it.path, isWhole[index] === true ? it.full : it.nameOnly]),
  )
  const shortened = drafts.filter((it, index) => isWhole[index] !== true && it.full !== it.nameOnly)
  return {
    lines,
    listing: {
      budget: budget.characters,
      unit: "characters",
      needed: all.reduce((sum, it) => sum + widthOf(it.full) + 1, -1),
      reason: budget.reason,
      skills: drafts.length,
      shortened: shortened.map(({ name, path: at, full, nameOnly }) => ({
        name,
        path: at,
        lostCharacters: full.length - nameOnly.length,
        isLeftOut: false,
      })),
    },
  }
}

const DAY_MS = 24 * 60 * 60 * 1_000

/** The host's own measure: uses, halved every week, down to a tenth. */
function scoreOf(name: string, { state, stateModifiedAt }: ClaudeContext): number {
  const use = within(state, "skillUsage", name)
  const [count, last] = [within(use, "usageCount"), within(use, "lastUsedAt")]
  if (typeof count !== "number" || typeof last !== "number") return 0
  // The host writes its state at every start, so its time is close to the next start.
  const days = Math.max(0, stateModifiedAt - last) / DAY_MS
  return count * Math.max(0.5 ** (days / 7), 0.1)
}

/** When each skill was used last, as the host recorded it. */
function skillUses({ state }: ClaudeContext): ReadonlyMap<string, number> {
  const uses = within(state, "skillUsage")
  if (typeof uses !== "object" || uses === null) return new Map()
  return new Map(
    Object.entries(uses).flatMap(([name, use]) => {
      const last = within(use, "lastUsedAt")
      return typeof last === "number" ? [[name, last] as const] : []
    }),
  )
}

export function startOf(context: ClaudeContext, listing: SkillListing): HostStart {
  const { folders, place, settings } = context
  const { baseline, model, window } = chosenModel(context)
  const { version, measuredAt } = CLAUDE_CODE_BASELINES
  const isSearching = !/^(?:0|false|no|off)$/i.test(place.environment["ENABLE_TOOL_SEARCH"] ?? "")
  const top = folders.git.main ?? folders.git.top
  return {
    version,
    measuredAt,
    baseline,
    model,
    window,
    isGit: folders.git.top !== undefined && settings.value("includeGitInstructions") !== false,
    paths: {
      directory: folders.cwd,
      memory: path.join(
        folders.config,
        "projects",
        claudeProjectSlug(top ?? folders.cwd),
        "memory/",
      ),
    },
    mcpTools: isSearching ? "named" : "loaded",
    listing,
    skillUses: skillUses(context),
  }
}
