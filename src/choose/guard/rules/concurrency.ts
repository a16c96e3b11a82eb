import { formatAgo } from "#ground/base"
import { type Claim, isInTree, type Touch, treeName, worktreeSession } from "#know/ledger"
import type { HookContext, HookEvent, Rule, Verdict } from "../event.ts"
import { asArgument, shown } from "../message-format.ts"
import { markNotified } from "../notice-log.ts"
import { coveringOverride } from "../overrides.ts"
import { hashFile } from "../receipts.ts"
import { judgeSharedTree } from "../shared-tree/shared-tree.ts"

/**
 * Each path costs about 0.2 ms per session to look up and 0.5 ms to record. Claims are checked for
 * every path.
 */
const MOST_WARNED_PATHS = 50

/** A session that edited this recently is probably still working on it. */
const RECENT_TOUCH_MS = 30 * 60_000

/** How far back edits of known sessions explain a changed hash. */
const WRITTEN_BY_US_MS = 24 * 60 * 60 * 1_000

type BeforeEdit = Extract<HookEvent, { kind: "before-edit" }>

export const concurrency: Rule = {
  name: "concurrency",
  level: 3,
  kinds: ["before-edit", "before-tool"],
  async judge(event, context) {
    if (event.kind === "before-tool")
      return (await judgeSharedTree(event, context)) ?? { kind: "silent" }
    if (event.kind !== "before-edit") return { kind: "silent" }
    const claimed = await judgeClaims(event, context)
    if (claimed?.kind === "deny") return claimed
    const warnings: string[] = []
    for (const path of event.paths.slice(0, MOST_WARNED_PATHS))
      warnings.push(...(await warningsFor(path, event, context)))
    if (claimed !== undefined) {
      return { ...claimed, text: [claimed.text, ...warnings].join("\n") }
    }
    return warnings.length === 0 ? { kind: "silent" } : { kind: "warn", text: warnings.join("\n") }
  },
}

type RefusalVerdict = Exclude<Verdict, { kind: "silent" }>

async function judgeClaims(
  event: BeforeEdit,
  context: HookContext,
): Promise<RefusalVerdict | undefined> {
  const lifted: { readonly path: string; readonly text: string }[] = []
  for (const path of event.paths) {
    const claim = context.claims.find(path)
    if (claim === undefined || isOwnClaim(claim, event, context)) continue
    const override = await coveringOverride(
      { stateDirectory: context.stateDirectory, now: event.at },
      path,
    )
    if (override === undefined) {
      return { kind: "deny", text: formatClaimBlock(path, claim, event.at), paths: [path] }
    }
    const text = `${shown(path)} is claimed by session ${shown(claim.session)}; an override permits the edit: ${shown(override.reason)}`
    lifted.push({ path, text })
  }
  if (lifted.length === 0) return undefined
  return {
    kind: "override",
    text: lifted.map((it) => it.text).join("\n"),
    paths: lifted.map((it) => it.path),
  }
}

/** A worktree's claims belong to every session that works in it. */
function isOwnClaim(
  { session }: Claim,
  event: Pick<HookEvent, "session">,
  { root }: Pick<HookContext, "root">,
): boolean {
  return session === event.session || session === worktreeSession(root)
}

function formatClaimBlock(path: string, claim: Claim, now: number): string {
  const what = claim.path === path ? "it" : `its folder ${shown(claim.path)}`
  return [
    `Edit blocked: session ${shown(claim.session)} is working on ${shown(path)}. It claimed ${what} ${formatAgo(now - claim.takenAt)} and was last active ${formatAgo(now - claim.heartbeatAt)}.`,
    `Work on something else, then check the claim again: \`qm claim list ${asArgument(path)}\`.`,
    `Only with the user's approval: \`qm override ${asArgument(path)} --reason "WHY"\`, with the user's reason for WHY. The override is logged.`,
  ].join("\n")
}

async function warningsFor(
  path: string,
  event: BeforeEdit,
  context: HookContext,
): Promise<readonly string[]> {
  const touches = await context.ledger.touchesOfOthers(path, {
    exceptSessionId: event.session,
    sinceMs: event.at - RECENT_TOUCH_MS,
  })
  const tree = treeName(context.root)
  const here = touches.find((it) => isInTree(it, tree))
  const [latest] = touches
  const outside = here === undefined ? await outsideChange(path, event, context) : []
  const touch = here ?? latest
  if (touch === undefined) return outside
  const key = ["touched", path, touch.sessionId, String(touch.at)]
  const isNews = await markNotified(key, event, context)
  return isNews ? [...outside, formatTouch(touch, event.at, here !== undefined)] : outside
}

function formatTouch({ path, sessionId, at }: Touch, now: number, isHere: boolean): string {
  const who = `Session ${shown(sessionId)} edited ${shown(path)}`
  return isHere
    ? `${who} ${formatAgo(now - at)}. Read the file again before you change it, and keep that session's changes.`
    : `${who} in another worktree ${formatAgo(now - at)}. Your copy is unchanged; the two versions must be merged later.`
}

/** The hash differs from what this session left, and no known session wrote it. */
async function outsideChange(
  path: string,
  event: BeforeEdit,
  context: HookContext,
): Promise<readonly string[]> {
  const own = await context.ledger.ownSha(event.session, path, treeName(context.root))
  if (own === undefined) return []
  const format = own.length === 64 ? "sha256" : "sha1"
  const hash = await hashFile(path, { root: context.root, format })
  const now = hash.kind === "hashed" ? hash.hash : hash.kind
  if (now === own || hash.kind === "unknown") return []
  const byUs = await context.ledger.touchesOfOthers(path, {
    exceptSessionId: event.session,
    sinceMs: event.at - WRITTEN_BY_US_MS,
  })
  const isOurs = byUs.some((it) => isInTree(it, treeName(context.root)))
  if (isOurs || !(await markNotified(["outside", path, now], event, context))) return []
  await context.ledger.changedOutside(event.session, path)
  return [
    `${shown(path)} was ${hash.kind === "absent" ? "deleted" : "changed"} since your last edit, but not by a known session. Read it again before you change it.`,
  ]
}
