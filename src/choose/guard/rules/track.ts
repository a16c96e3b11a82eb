import { join } from "node:path"
import { formatAgo, statFile } from "#ground/base"
import { digest, treeName } from "#know/ledger"
import type { HookEvent, HookWorld, Rule } from "../event.ts"
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
    await meter(event, context)
    await renewHeld(paths, event, context)
    const warnings = isEdit ? await crossClaims(paths, event, context) : []
    return warnings.length === 0
      ? { kind: "silent" }
      : { kind: "warn", text: warnings.join("\n"), paths }
  },
}

async function recordEdits(
  paths: readonly string[],
  event: AfterTool,
  { ledger, classifier, root, stateDirectory }: HookWorld,
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

/** Only while the marker of an open branch exists; otherwise this costs one stat. */
async function meter(event: AfterTool, { stateDirectory }: HookWorld): Promise<void> {
  const folder = join(stateDirectory, "charges")
  const name = digest(event.session)
  const marker = await statFile(join(folder, `open-${name}`))
  if (marker.kind !== "found" || marker.what !== "regular file") return
  const { session, host, tool, textUnits, paths, at } = event
  const charge = { session, host, tool, textUnits, paths: paths.slice(0, MOST_TRACKED_PATHS), at }
  await appendIn(folder, join(folder, `${name}.jsonl`), charge)
}

/**
 * Renews claims on edited files each time, all others every `RENEW_ALL_MS`, because that reads
 * every claim.
 */
async function renewHeld(
  paths: readonly string[],
  event: AfterTool,
  context: HookWorld,
): Promise<void> {
  const { claims, stateDirectory } = context
  if ((await statFile(join(stateDirectory, "claims"))).kind !== "found") return
  for (const path of paths) await claims.keepAlive(event.session, path)
  const period = String(Math.floor(event.at / RENEW_ALL_MS))
  if (!(await markNotified(["renewed", period], event, context))) return
  const held = claims.list().filter((it) => it.session === event.session)
  for (const { path } of held) await claims.keepAlive(event.session, path)
}

/** Also reported after the edit, because level 2 has no check before it. */
async function crossClaims(
  paths: readonly string[],
  event: AfterTool,
  context: HookWorld,
): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const path of paths) {
    const claim = context.claims.find(path)
    if (claim === undefined || claim.session === event.session) continue
    if (!(await markNotified(["claimed", path, claim.token], event, context))) continue
    warnings.push(
      `You changed ${shown(path)}, which session ${shown(claim.session)} claimed ${formatAgo(event.at - claim.takenAt)}. Tell the user, and make no further changes to it. Claim status: \`qm claim list ${asArgument(path)}\`.`,
    )
  }
  return warnings
}
