import { join } from "node:path"
import { countRows, formatUsd, readTextBounded, statFile, writeFileAtomic } from "#ground/base"
import type { HookConfig, HookContext, HookEvent, Rule } from "../event.ts"
import { coveringOverride } from "../overrides.ts"

const DAY_MS = 86_400_000
/** 1970-01-05, in days since 1970. */
const FIRST_MONDAY_DAYS = 4

/** Indexing new lines of transcripts costs a process. */
const LOOK_EVERY_MS = 60_000

/**
 * Denies tools while the spending of the day, the week or the month has reached its limit, if the user turned
 * that on. The sum is that of `qm cost`, as far as transcripts are indexed.
 */
export const budgetRule: Rule = {
  name: "budget",
  level: 3,
  kinds: ["before-edit", "before-tool", "before-agent"],
  async judge(event, context) {
    const { spending } = context.config
    if (!spending.isStop) return { kind: "silent" }
    await lookForNewLines(event, context)
    const over = await overLimit(event.at, context)
    if (over === undefined) return { kind: "silent" }
    const query = { stateDirectory: context.stateDirectory, now: event.at }
    const override = await coveringOverride(query, ".")
    const sum = `${formatUsd(over.spentUsd)} of ${formatUsd(over.limitUsd)} for ${over.period}`
    if (override !== undefined) {
      return { kind: "override", text: `Spending is ${sum}; an override permits it.` }
    }
    const text = [
      `Stopped: sessions spent ${sum} (${over.setting}).`,
      'Tell the user and wait. Only the user continues: `qm override . --reason "WHY"` in a terminal, or a higher limit.',
    ].join("\n")
    return { kind: "deny", text }
  },
}

type Limit = {
  readonly period: string
  readonly setting: string
  readonly limitUsd: number
  readonly since: number
}

async function overLimit(at: number, { stateDirectory, config }: HookContext) {
  const store = join(stateDirectory, "store.db")
  if ((await statFile(store)).kind !== "found") return undefined
  for (const limit of limitsAt(at, config.spending)) {
    const spentUsd = countRows(store, SPENT, [limit.since, at])
    if (spentUsd !== undefined && spentUsd >= limit.limitUsd) return { ...limit, spentUsd }
  }
  return undefined
}

/** The table belongs to `know/sessions`, which a hook cannot load; the test uses its real schema. */
const SPENT = `SELECT coalesce(sum(usd), 0) FROM
  (SELECT max(usd) AS usd FROM session_calls WHERE at >= ? AND at <= ? GROUP BY call_key)`

/** UTC, as in `qm cost`. A limit of 0 is none. */
function limitsAt(
  at: number,
  { dayUsd, weekUsd, monthUsd }: HookConfig["spending"],
): readonly Limit[] {
  const date = new Date(at)
  const today = Math.floor(at / DAY_MS)
  const monday = today - ((today - FIRST_MONDAY_DAYS) % 7)
  const limits = [
    { period: "today", setting: "sessions.dayBudget", limitUsd: dayUsd, since: today * DAY_MS },
    {
      period: "this week",
      setting: "sessions.weekBudget",
      limitUsd: weekUsd,
      since: monday * DAY_MS,
    },
    {
      period: "this month",
      setting: "sessions.monthBudget",
      limitUsd: monthUsd,
      since: Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1),
    },
  ]
  return limits.filter((it) => it.limitUsd > 0)
}

/** Between two looks the sum lags behind by at most a minute of work. */
async function lookForNewLines(event: HookEvent, context: HookContext): Promise<void> {
  const file = join(context.stateDirectory, "budget-look")
  const read = await readTextBounded(file, { maxBytes: 100 })
  const lookedAt = read.kind === "read" ? Number(read.text) : 0
  const ageMs = event.at - lookedAt
  if (ageMs >= 0 && ageMs < LOOK_EVERY_MS) return
  await writeFileAtomic(file, String(event.at), { mode: 0o600 })
  context.afterwards({ kind: "import" })
}
