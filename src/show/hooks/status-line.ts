import path from "node:path"
import { compactsAt, compactWindow, noteWindow, readSessionCache } from "#choose/guard"
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
  /** The fill at which the host compacts by itself; undefined if it never does. */
  readonly compactsAtTokens: number | undefined
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
  /** Tokens of old tool results that the gateway suggests to mask. */
  readonly maskableTokens: number | undefined
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
  const status = parseStatus(read.payload, deps.environment)
  try {
    return formatStatus(status, await factsOf(status, deps), hasColor(deps.environment))
  } catch (error) {
    deps.debug(String(error))
    return formatStatus(status, NO_FACTS, hasColor(deps.environment))
  }
}

const NOTHING = "qm: no session data"
const NO_FACTS: RepositoryFacts = {
  coldTokens: undefined,
  maskableTokens: undefined,
  waiting: undefined,
  claims: undefined,
}

export function parseStatus(
  payload: Readonly<Record<string, unknown>>,
  environment: StatusLineDeps["environment"] = {},
): SessionStatus {
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
    compactsAtTokens: size === undefined ? undefined : thresholdOf(size, environment),
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
    maskableTokens: cache?.maskableTokens,
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
  { coldTokens, maskableTokens, waiting, claims }: RepositoryFacts,
  isColored: boolean,
): string {
  const { costUsd, cachedShare } = status
  const paint = (code: number, text: string) =>
    isColored ? `\u001b[${code}m${text}\u001b[0m` : text
  const parts = [
    describeContext(status, paint),
    costUsd === undefined ? "" : formatUsd(costUsd),
    describeCache(cachedShare, coldTokens, paint),
    (maskableTokens ?? 0) === 0 ? "" : `could mask ${shortCount(maskableTokens ?? 0)}`,
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
    return paint(YELLOW, `cold: next message re-caches ${shortCount(coldTokens)}`)
  }
  return share === undefined ? "" : `cache ${Math.round(share * 100)} %`
}

function describeContext(
  { usedPercent: percent, windowTokens, compactsAtTokens }: SessionStatus,
  paint: (code: number, text: string) => string,
): string {
  if (percent === undefined) return "context size unknown"
  const of = windowTokens === undefined ? "" : ` of ${shortCount(windowTokens)}`
  const isShown = percent >= NEAR_PERCENT && compactsAtTokens !== undefined
  const threshold = isShown ? `, compacts at ${shortCount(compactsAtTokens)}` : ""
  const text = `${Math.round(percent)} %${of}${threshold}`
  if (percent >= 85) return paint(RED, text)
  return percent >= 70 ? paint(YELLOW, text) : text
}

/** From this fill on the line says where the host compacts. */
const NEAR_PERCENT = 60

/** The host has settings that switch it off, or compact as if the window was smaller. */
function thresholdOf(
  windowTokens: number,
  environment: StatusLineDeps["environment"],
): number | undefined {
  const isOff = ["DISABLE_AUTO_COMPACT", "DISABLE_COMPACT"].some((it) => environment[it])
  return isOff ? undefined : compactsAt(compactWindow(windowTokens, environment))
}

function shortCount(tokens: number): string {
  return formatCount(tokens).replace(".0", "")
}

function hasColor(environment: StatusLineDeps["environment"]): boolean {
  return !environment["NO_COLOR"]
}
