import type { TokenEncoding } from "#ground/contract"
import type { HostPlace, HostStart } from "./host.ts"

/** Tokens by encoding, so that a figure fits whichever counter the user chose. */
export type MeasuredTokens = Readonly<Record<TokenEncoding, number>>

type MeasuredTool = { readonly name: string; readonly tokens: MeasuredTokens }

/** A built-in skill with the width of its line, which counts against the listing's budget. */
type MeasuredSkill = MeasuredTool & {
  readonly characters: number
  /** Whether it keeps its description when the budget is exceeded. */
  readonly isFixed: boolean
}

/**
 * The request of a host before the first prompt in an empty home, as recorded. The texts belong
 * to the host's maker, so only their sizes are stored. Paths in them are counted separately.
 */
export type StartBaseline = {
  readonly model: string
  readonly window: number
  readonly system: MeasuredTokens
  /** How often the system prompt names the folder of the auto memory. */
  readonly memoryPathMentions: number
  /** Environment, date and reminders, without the working directory. */
  readonly environment: MeasuredTokens
  readonly directoryMentions: number
  /** The frame of the git status, without changed files and commits. */
  readonly git: MeasuredTokens
  /** Sentences around the instruction files, if there are any. */
  readonly instructionsFrame: MeasuredTokens
  readonly tools: readonly MeasuredTool[]
  /** Tools that are only named until the model loads them, with the tokens of their definition. */
  readonly deferredTools: readonly MeasuredTool[]
  readonly deferredList: MeasuredTokens
  readonly agents: MeasuredTokens
  readonly skillsFrame: MeasuredTokens
  readonly skills: readonly MeasuredSkill[]
  /** Heading above the instructions of MCP servers. */
  readonly mcpFrame: MeasuredTokens
}

export type HostBaselines = {
  readonly version: string
  /** Day of the measurement, UTC. */
  readonly measuredAt: string
  /** The host's default model first. */
  readonly models: readonly StartBaseline[]
}

/** For a host without tool search and without a budget for its listings. */
export function startOf(
  { version, measuredAt, models }: HostBaselines,
  place: HostPlace,
): { readonly start?: HostStart } {
  const [baseline] = models
  if (baseline === undefined) return {}
  const start = {
    version,
    measuredAt,
    baseline,
    model: baseline.model,
    window: baseline.window,
    isGit: false,
    paths: { directory: place.workingDirectory, memory: "" },
    mcpTools: "loaded" as const,
    listing: undefined,
    skillUses: new Map(),
  }
  return { start }
}
