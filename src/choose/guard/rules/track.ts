import { join } from "node:path"
import {
  formatAgo,
  formatExact,
  isOwnTool,
  parseJsonRecord,
  readJsonl,
  readTextBounded,
  statFile,
} from "#ground/base"
import { digest, treeName, worktreeSession } from "#know/ledger"
import type { HookContext, HookEvent, Rule } from "../event.ts"
import { asArgument, shown } from "../message-format.ts"
import { appendIn, markNotified } from "../notice-log.ts"
import { hashFile, hashFormatIn } from "../receipts.ts"

const MOST_TRACKED_PATHS = 200

/** A fifth of the shortest usual lease. */
const RENEW_ALL_MS = 3 * 60_000

type AfterTool = Extract<HookEvent, { kind: "after-edit" | "after-tool" }>

export const track: Rule = {
  name: "track",
  level: 2,
  kinds: ["after-edit", "after-tool"],
  async judge(event, context) {
    if (event.kind !== "after-edit" && event.kind !== "after-tool") return { kind: "silent" }
    const isEdit = event.kind === "after-edit"
    const paths = event.paths.slice(0, MOST_TRACKED_PATHS)
    if (isEdit) await recordEdits(paths, event, context)
    const budget = await meter(event, context)
    await renewHeld(paths, event, context)
    const claims = isEdit ? await crossClaims(paths, event, context) : []
    const warnings = [...(budget === undefined ? [] : [budget]), ...claims]
    return warnings.length === 0
      ? { kind: "silent" }
      : { kind: "warn", text: warnings.join("\n"), paths }
  },
}

async function recordEdits(
  paths: readonly string[],
  event: AfterTool,
  { ledger, classifier, root, stateDirectory }: HookContext,
): Promise<void> {
  const tracked = paths.filter((it) => classifier.isTrackable(it))
  const format = await hashFormatIn(stateDirectory)
  const tree = treeName(root)
  for (const path of tracked) {
    const hash = await hashFile(path, { root, format })
    const sha = hash.kind === "hashed" ? hash.hash : undefined
    await ledger.modified(event.session, { path, tool: event.tool, sha, tree })
    if (classifier.isRegistrationFile(path)) await ledger.registered(event.session, path)
  }
}

/** A marker has about 150 bytes. */
const LARGEST_MARKER_BYTES = 10_000

/** About 10,000 calls; the process of the branch reads them every second. */
const LARGEST_SPOOL_BYTES = 4 * 1024 ** 2

type OpenBranch = {
  readonly id: string
  readonly budgetUsed: number
  readonly budgetTotal: number
  readonly told: string | null
  readonly scale: number
}

/**
 * Reports the call to the process of the open branch, and returns what the agent should know about
 * its budget. Only while the marker of an open branch exists; otherwise this costs one stat.
 */
async function meter(event: AfterTool, context: HookContext): Promise<string | undefined> {
  const folder = join(context.stateDirectory, "charges")
  const name = digest(event.session)
  const marker = await statFile(join(folder, `open-${name}`))
  if (marker.kind !== "found" || marker.what !== "regular file") return undefined
  const { session, host, tool, paths, at } = event
  // Our own tools are charged where they answer.
  const tokens = isOwnTool(tool) ? 0 : event.tokens
  const spool = join(folder, `${name}.jsonl`)
  const branch = await openBranchIn(join(folder, `open-${name}`))
  const report = { event, tokens, spool, context }
  const notice = branch === undefined ? undefined : await noticeOf(branch, report)
  const reported = { session, host, tool, tokens, paths: paths.slice(0, MOST_TRACKED_PATHS), at }
  await appendIn(folder, spool, {
    ...reported,
    ...(notice === undefined ? {} : { told: notice.level }),
  })
  return notice?.text
}

async function openBranchIn(file: string): Promise<OpenBranch | undefined> {
  const read = await readTextBounded(file, { maxBytes: LARGEST_MARKER_BYTES })
  const marker = read.kind === "read" ? parseJsonRecord(read.text) : undefined
  if (marker === undefined) return undefined
  const { id, budgetUsed, budgetTotal, told = null, scale } = marker
  if (typeof id !== "string" || typeof budgetUsed !== "number") return undefined
  if (typeof budgetTotal !== "number" || typeof scale !== "number") return undefined
  return { id, budgetUsed, budgetTotal, told: typeof told === "string" ? told : null, scale }
}

type Report = {
  readonly event: AfterTool
  readonly tokens: number
  readonly spool: string
  readonly context: HookContext
}

/** Once for the warning and once for the end of the budget, charges of our tools included. */
async function noticeOf(branch: OpenBranch, { event, tokens, spool, context }: Report) {
  const { records } = await readJsonl(spool, { maxBytes: LARGEST_SPOOL_BYTES })
  const waiting = records.map((it) => (typeof it["tokens"] === "number" ? it["tokens"] : 0))
  const reported = waiting.reduce((sum, it) => sum + it, tokens)
  const used = branch.budgetUsed + Math.ceil(reported * branch.scale)
  const level = levelOf(used, branch.budgetTotal)
  if (level === null || branch.told === "exhausted" || branch.told === level) return undefined
  if (!(await markNotified(["budget", branch.id, level], event, context))) return undefined
  return { level, text: textOf(level, branch, used) }
}

function levelOf(used: number, total: number): "warned" | "exhausted" | null {
  if (used > total) return "exhausted"
  return used * 5 >= total * 4 ? "warned" : null
}

function textOf(level: "warned" | "exhausted", { id, budgetTotal }: OpenBranch, used: number) {
  const figures = `${formatExact(used)} of ${formatExact(budgetTotal)} tokens`
  return level === "warned"
    ? `Branch ${shown(id)} has used ${Math.floor((used / budgetTotal) * 100)} % of its budget (${figures}). Call return soon with the results so far.`
    : `The budget is used up: branch ${shown(id)} has used ${figures}. Do no further work in it. Call return now with what you have; the result is accepted.`
}

/**
 * Renews claims on edited files each time, all others every `RENEW_ALL_MS`, because that reads
 * every claim.
 */
async function renewHeld(
  paths: readonly string[],
  event: AfterTool,
  context: HookContext,
): Promise<void> {
  const { claims, stateDirectory } = context
  if ((await statFile(join(stateDirectory, "claims"))).kind !== "found") return
  const own = ownSessions(event, context)
  for (const path of paths) {
    for (const session of own) await claims.keepAlive(session, path)
  }
  const period = String(Math.floor(event.at / RENEW_ALL_MS))
  if (!(await markNotified(["renewed", period], event, context))) return
  const held = claims.list().filter((it) => own.includes(it.session))
  for (const { path, session } of held) await claims.keepAlive(session, path)
}

/** A session also holds the claims of the worktree it works in. */
function ownSessions({ session }: AfterTool, { root }: HookContext): readonly string[] {
  return [session, worktreeSession(root)]
}

/** Also reported after the edit, because level 2 has no check before it. */
async function crossClaims(
  paths: readonly string[],
  event: AfterTool,
  context: HookContext,
): Promise<readonly string[]> {
  const warnings: string[] = []
  const own = ownSessions(event, context)
  for (const path of paths) {
    const claim = context.claims.find(path)
    if (claim === undefined || own.includes(claim.session)) continue
    if (!(await markNotified(["claimed", path, claim.token], event, context))) continue
    warnings.push(
      `You changed ${shown(path)}, which session ${shown(claim.session)} claimed ${formatAgo(event.at - claim.takenAt)}. Tell the user, and make no further changes to it. Claim status: \`qm claim list ${asArgument(path)}\`.`,
    )
  }
  return warnings
}
