import path from "node:path"
import { compactsAt, noteWindow, readSessionCache } from "#choose/guard"
import {
  countRows,
  formatCount,
  formatUsd,
  isRecord,
  plural,
  statFile,
  systemClock,
  systemRandom,
  thisMachine,
} from "#ground/base"
import { createClaims } from "#know/ledger"
import { type ByteSource, type HookDeps, readPayload } from "./hooks.ts"
import { enrolledRepository } from "./judge.ts"

type StatusLineDeps = Pick<HookDeps, "debug" | "later" | "now"> & {
  readonly input: ByteSource | string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The session data of Claude Code; a missing or mistyped field is undefined. */
export type SessionStatus = {
  readonly session: string | undefined
  readonly directory: string | undefined
  readonly windowTokens: number | undefined
  /** 0 to 100. */
  readonly usedPercent: number | undefined
  readonly costUsd: number | undefined
  /** Share of the last request's input that came from the prompt cache, 0 to 1. */
  readonly cachedShare: number | undefined
  /** 0 to 100, of the windows of a subscription. */
  readonly fiveHourPercent: number | undefined
  readonly sevenDayPercent: number | undefined
}

type RepositoryFacts = {
  /** Tokens that the next message writes to the provider's cache again; undefined while it is warm. */
  readonly coldTokens: number | undefined
  readonly waiting: number | undefined
  readonly claims: number | undefined
}

/**
 * The line for Claude Code, for any input: context used, cost, cache, and in an enrolled repository
 * waiting approvals and this session's claims. Unknown figures are left out.
 */
export async function answerStatusLine(deps: StatusLineDeps): Promise<string> {
  const read = await readPayload(deps.input, deps)
  if (read.kind === "unusable") {
    deps.debug(read.why)
    return NOTHING
  }
  const status = parseStatus(read.payload)
  try {
    return formatStatus(status, await factsOf(status, deps), hasColor(deps.environment))
  } catch (error) {
    deps.debug(String(error))
    return formatStatus(status, NO_FACTS, hasColor(deps.environment))
  }
}

const NOTHING = "qm: no session data"
const NO_FACTS: RepositoryFacts = { coldTokens: undefined, waiting: undefined, claims: undefined }

export function parseStatus(payload: Readonly<Record<string, unknown>>): SessionStatus {
  const window = fields(payload["context_window"])
  const limits = fields(payload["rate_limits"])
  const usage = fields(window["current_usage"])
  const [fresh, read, written] = [
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
  ].map((it) => numberIn(usage, it))
  const input = (fresh ?? 0) + (read ?? 0) + (written ?? 0)
  const size = numberIn(window, "context_window_size")
  const computed =
    size === undefined || size === 0 || input === 0 ? undefined : (input / size) * 100
  return {
    session: textIn(payload, "session_id"),
    directory: textIn(fields(payload["workspace"]), "current_dir") ?? textIn(payload, "cwd"),
    windowTokens: size,
    usedPercent: numberIn(window, "used_percentage") ?? computed,
    costUsd: numberIn(fields(payload["cost"]), "total_cost_usd"),
    cachedShare: read === undefined || input === 0 ? undefined : read / input,
    fiveHourPercent: numberIn(fields(limits["five_hour"]), "used_percentage"),
    sevenDayPercent: numberIn(fields(limits["seven_day"]), "used_percentage"),
  }
}

const fields = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

function numberIn(from: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = from[name]
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}

function textIn(from: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = from[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

async function factsOf(status: SessionStatus, { now }: StatusLineDeps): Promise<RepositoryFacts> {
  const { session, directory, usedPercent } = status
  const repository = directory === undefined ? undefined : await enrolledRepository(directory)
  if (repository === undefined || session === undefined) return NO_FACTS
  const { stateDirectory } = repository
  if (usedPercent !== undefined) {
    await noteWindow({ session, at: now(), percent: usedPercent }, stateDirectory)
  }
  const clock = systemClock
  const claims = createClaims({
    stateDirectory,
    clock,
    random: systemRandom,
    machine: thisMachine(),
  })
  const cache = await readSessionCache(session, stateDirectory)
  const isCold = cache !== undefined && cache.expiresAt <= now()
  return {
    coldTokens: isCold ? cache.tokens : undefined,
    waiting: await countWaiting(path.join(stateDirectory, "store.db"), now()),
    claims: claims.list().filter((it) => it.session === session).length,
  }
}

/** The table belongs to `act/agents`, which a hook cannot load; a test asks both. */
async function countWaiting(file: string, now: number): Promise<number | undefined> {
  if ((await statFile(file)).kind !== "found") return undefined
  const query = "SELECT count(*) FROM run_approvals WHERE status = 'open' AND expires_at > ?"
  return countRows(file, query, [now])
}

/** Colours only for what needs attention. */
export function formatStatus(
  status: SessionStatus,
  { coldTokens, waiting, claims }: RepositoryFacts,
  isColored: boolean,
): string {
  const { usedPercent, windowTokens, costUsd, cachedShare } = status
  const paint = (code: number, text: string) =>
    isColored ? `\u001b[${code}m${text}\u001b[0m` : text
  const parts = [
    describeContext(usedPercent, windowTokens, paint),
    costUsd === undefined ? "" : formatUsd(costUsd),
    describeCache(cachedShare, coldTokens, paint),
    describeLimit("5 h", status.fiveHourPercent, paint),
    describeLimit("7 d", status.sevenDayPercent, paint),
    (waiting ?? 0) === 0 ? "" : paint(YELLOW, `${plural(waiting ?? 0, "approval")} waiting`),
    (claims ?? 0) === 0 ? "" : plural(claims ?? 0, "claim"),
  ]
  return parts.filter((it) => it !== "").join(", ")
}

const YELLOW = 33
const RED = 31

/** Only where little is left: the line is short. */
function describeLimit(
  name: string,
  percent: number | undefined,
  paint: (code: number, text: string) => string,
): string {
  if (percent === undefined || percent < 50) return ""
  const text = `${name} ${Math.round(percent)} %`
  if (percent >= 95) return paint(RED, text)
  return percent >= 80 ? paint(YELLOW, text) : text
}

/** After the lifetime of the cache, what the last request read says nothing about the next. */
function describeCache(
  share: number | undefined,
  coldTokens: number | undefined,
  paint: (code: number, text: string) => string,
): string {
  if (coldTokens !== undefined && coldTokens > 0) {
    const size = formatCount(coldTokens).replace(".0", "")
    return paint(YELLOW, `cold: next message re-caches ${size}`)
  }
  return share === undefined ? "" : `cache ${Math.round(share * 100)} %`
}

function describeContext(
  percent: number | undefined,
  windowTokens: number | undefined,
  paint: (code: number, text: string) => string,
): string {
  if (percent === undefined) return "context size unknown"
  const of = windowTokens === undefined ? "" : ` of ${formatCount(windowTokens).replace(".0", "")}`
  const text = `${Math.round(percent)} %${of}${thresholdOf(percent, windowTokens)}`
  if (percent >= 85) return paint(RED, text)
  return percent >= 70 ? paint(YELLOW, text) : text
}

/** From this fill on the line says where the host compacts. */
const NEAR_PERCENT = 60

function thresholdOf(percent: number, windowTokens: number | undefined): string {
  if (windowTokens === undefined || percent < NEAR_PERCENT) return ""
  return `, compacts at ${formatCount(compactsAt(windowTokens)).replace(".0", "")}`
}

function hasColor(environment: StatusLineDeps["environment"]): boolean {
  return !environment["NO_COLOR"]
}
