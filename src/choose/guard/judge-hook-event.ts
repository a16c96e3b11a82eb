import type { HookName, VerdictKind, VerdictLine } from "#ground/contract"
import type { HookContext, HookEvent, Rule, Verdict } from "./event.ts"
import { sliceLines } from "./message-format.ts"
import { boot } from "./rules/boot/boot.ts"
import { budgetRule } from "./rules/budget.ts"
import { compactionRule } from "./rules/compaction.ts"
import { concurrency } from "./rules/concurrency.ts"
import { drift } from "./rules/drift.ts"
import { guideline } from "./rules/guideline.ts"
import { largeResult } from "./rules/large-result.ts"
import { loaded } from "./rules/loaded-file.ts"
import { packageRule, promptRule } from "./rules/package.ts"
import { pitfall } from "./rules/pitfall.ts"
import { risk } from "./rules/risk.ts"
import { secretFiles } from "./rules/secret-files.ts"
import { track } from "./rules/track.ts"
import { windowRule } from "./rules/window.ts"
import { appendVerdict } from "./verdict-log.ts"

/** Hosts truncate hook output at 10,000 characters silently. */
const LARGEST_ANSWER_BYTES = 9_000

type DecidedVerdict = {
  readonly verdict: Verdict
  readonly rule: HookName | null
}

/**
 * Evaluates the rules of the level and appends one line to the log. Skips a rule or a log that
 * fails: a hook never stops the work by failing.
 */
export async function judgeEvent(event: HookEvent, context: HookContext): Promise<DecidedVerdict> {
  const startedAt = context.clock.now()
  const verdicts = await ask(event, context)
  const judged = decide(verdicts)
  const ms = Math.max(0, context.clock.now() - startedAt)
  const facts = { ms, isByHand: context.isByHand === true }
  for (const verdict of [judged, ...notesBeside(verdicts, judged)]) {
    await appendVerdict(context.stateDirectory, lineOf(event, verdict, facts)).catch(() => {})
  }
  return judged
}

/** Notes that the line of the decision does not have. */
function notesBeside(
  verdicts: readonly RuleVerdict[],
  { verdict: decided }: DecidedVerdict,
): readonly DecidedVerdict[] {
  return verdicts.flatMap(({ rule, verdict }) => {
    const { note } = verdict
    return note === undefined || verdict === decided
      ? []
      : [{ rule, verdict: { kind: "silent", note } as const }]
  })
}

type LogFacts = { readonly ms: number; readonly isByHand: boolean }

function lineOf(event: HookEvent, { verdict, rule }: DecidedVerdict, facts: LogFacts): VerdictLine {
  const { at, host, session, kind } = event
  return {
    at,
    host: facts.isByHand ? `${host} by hand` : host,
    event: kind,
    session,
    tool: "tool" in event ? event.tool : null,
    paths: "paths" in event ? [...event.paths] : [],
    rule,
    verdict: verdict.kind,
    text: loggedText(verdict, rule),
    ms: facts.ms,
  }
}

/** The texts of a compaction quote prompts, which no log may have. */
function loggedText(verdict: Verdict, rule: HookName | null): string {
  if (verdict.kind === "silent") return verdict.note ?? ""
  return rule === "compaction" ? "what the compaction must keep" : verdict.text
}

type RuleVerdict = { readonly rule: HookName; readonly verdict: Verdict }
type AudibleVerdict = Exclude<Verdict, { kind: "silent" }>

type AudibleRuleVerdict = { readonly rule: HookName; readonly verdict: AudibleVerdict }

async function ask(event: HookEvent, context: HookContext): Promise<readonly RuleVerdict[]> {
  const verdicts: RuleVerdict[] = []
  const { level } = context.config
  for (const rule of RULES.filter((it) => it.level <= level && it.kinds.includes(event.kind))) {
    if (context.signal.aborted) break
    const verdict = await judgeSafely(rule, event, context)
    if (verdict.kind === "silent" && verdict.note === undefined) continue
    verdicts.push({ rule: rule.name, verdict })
    if (verdict.kind === "deny" || verdict.kind === "block") break
  }
  return verdicts
}

const SILENT: Verdict = { kind: "silent" }

async function judgeSafely(rule: Rule, event: HookEvent, context: HookContext): Promise<Verdict> {
  const { promise, resolve } = Promise.withResolvers<Verdict>()
  const giveUp = () => resolve(SILENT)
  context.signal.addEventListener("abort", giveUp, { once: true })
  try {
    return await Promise.race([rule.judge(event, context), promise])
  } catch {
    return SILENT
  } finally {
    context.signal.removeEventListener("abort", giveUp)
  }
}

/** The most severe text comes first, so that it survives truncation. */
const WEIGHT: Readonly<Record<VerdictKind, number>> = {
  deny: 6,
  block: 5,
  ask: 4,
  override: 3,
  warn: 2,
  context: 1,
  silent: 0,
}

function decide(verdicts: readonly RuleVerdict[]): DecidedVerdict {
  const [first, ...others] = verdicts
    .flatMap(({ rule, verdict }): readonly AudibleRuleVerdict[] =>
      verdict.kind === "silent" ? [] : [{ rule, verdict }],
    )
    .toSorted((a, b) => WEIGHT[b.verdict.kind] - WEIGHT[a.verdict.kind])
  if (first === undefined) return verdicts[0] ?? { verdict: SILENT, rule: null }
  const { kind, paths } = first.verdict
  const isFinal = kind === "deny" || kind === "block" || kind === "ask"
  const shownVerdicts = isFinal ? [first] : [first, ...others]
  const texts = shownVerdicts.map((it) => it.verdict.text).filter((it) => it !== "")
  const text = sliceLines(texts.join("\n\n"), LARGEST_ANSWER_BYTES)
  const output = shownVerdicts.find((it) => it.verdict.output !== undefined)?.verdict.output
  const replaced = output === undefined ? {} : { output }
  return { verdict: { kind, text, ...(paths && { paths }), ...replaced }, rule: first.rule }
}

/** Rules that can deny come first; after a denial no other is evaluated. */
export const RULES: readonly Rule[] = [
  budgetRule,
  secretFiles,
  guideline,
  concurrency,
  risk,
  drift,
  track,
  compactionRule,
  boot,
  packageRule,
  promptRule,
  pitfall,
  loaded,
  windowRule,
  largeResult,
]
