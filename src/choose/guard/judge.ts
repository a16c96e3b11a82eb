import type { HookName, VerdictKind, VerdictLine } from "#ground/contract"
import type { HookEvent, HookWorld, Rule, Verdict } from "./event.ts"
import { LARGEST_ANSWER_BYTES } from "./limits.ts"
import { RULES } from "./rules.ts"
import { appendVerdict } from "./verdicts/log.ts"

export type Judged = {
  readonly verdict: Verdict
  /** The rule that decided; null when none had anything to say. */
  readonly rule: HookName | null
}

/**
 * What the rules of this level say to an event, as one verdict, and a line of the log. A rule that
 * fails is passed over, and so is the log: a hook lets the work go on.
 */
export async function judgeEvent(event: HookEvent, world: HookWorld): Promise<Judged> {
  const startedAt = world.clock.now()
  const judged = decide(await ask(event, world))
  const ms = Math.max(0, world.clock.now() - startedAt)
  await appendVerdict(
    world.stateDirectory,
    lineOf(event, judged, { ms, isByHand: world.isByHand === true }),
  ).catch(() => {})
  return judged
}

type Seen = { readonly ms: number; readonly isByHand: boolean }

function lineOf(event: HookEvent, { verdict, rule }: Judged, seen: Seen): VerdictLine {
  const { at, host, session, kind } = event
  return {
    at,
    host: seen.isByHand ? `${host} by hand` : host,
    event: kind,
    session,
    tool: "tool" in event ? event.tool : null,
    paths: "paths" in event ? [...event.paths] : [],
    rule,
    verdict: verdict.kind,
    text: verdict.kind === "silent" ? "" : verdict.text,
    ms: seen.ms,
  }
}

type Said = { readonly rule: HookName; readonly verdict: Spoken }
type Spoken = Exclude<Verdict, { kind: "silent" }>

/** One after the other, those that can refuse first: after a refusal nobody else is asked. */
async function ask(event: HookEvent, world: HookWorld): Promise<readonly Said[]> {
  const said: Said[] = []
  const { level } = world.config
  for (const rule of RULES.filter((it) => it.level <= level && it.kinds.includes(event.kind))) {
    if (world.signal.aborted) break
    const verdict = await judgeSafely(rule, event, world)
    if (verdict.kind === "silent") continue
    said.push({ rule: rule.name, verdict })
    if (verdict.kind === "deny" || verdict.kind === "block") break
  }
  return said
}

const SILENT: Verdict = { kind: "silent" }

async function judgeSafely(rule: Rule, event: HookEvent, world: HookWorld): Promise<Verdict> {
  const { promise, resolve } = Promise.withResolvers<Verdict>()
  const giveUp = () => resolve(SILENT)
  world.signal.addEventListener("abort", giveUp, { once: true })
  try {
    return await Promise.race([rule.judge(event, world), promise])
  } catch {
    return SILENT
  } finally {
    world.signal.removeEventListener("abort", giveUp)
  }
}

/** What weighs more comes first, and stays when the rest is cut. */
const WEIGHT: Readonly<Record<VerdictKind, number>> = {
  deny: 5,
  block: 4,
  override: 3,
  warn: 2,
  context: 1,
  silent: 0,
}

function decide(said: readonly Said[]): Judged {
  const [first, ...others] = said.toSorted(
    (a, b) => WEIGHT[b.verdict.kind] - WEIGHT[a.verdict.kind],
  )
  if (first === undefined) return { verdict: SILENT, rule: null }
  const { kind, paths } = first.verdict
  const isFinal = kind === "deny" || kind === "block"
  const spoken = isFinal ? [first] : [first, ...others]
  const text = cutAtLine(spoken.map((it) => it.verdict.text).join("\n\n"), LARGEST_ANSWER_BYTES)
  return { verdict: { kind, text, ...(paths && { paths }) }, rule: first.rule }
}

/** At the end of a line, so that nothing is said by half; a single long line is cut in itself. */
function cutAtLine(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  const head = bytes.subarray(0, maxBytes)
  const end = head.lastIndexOf("\n")
  // Decoding replaces the half of a sign at the end, which is then taken off.
  return end > 0 ? head.toString("utf8", 0, end) : head.toString().replace(/\uFFFD$/, "")
}
