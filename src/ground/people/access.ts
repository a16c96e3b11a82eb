import {
  type CallingPerson,
  isRoleEnough,
  type Operation,
  RunCost,
  roleFor,
} from "#ground/contract"
import type { Db } from "#ground/store"
import { RoleTooLow, RunQuotaReached, SpendQuotaReached } from "./errors.ts"
import { CostRow, selectCostsOfDay, selectWorking, Working } from "./queries.ts"

type Called = Pick<Operation, "effect" | "name" | "ownerFields" | "quota" | "role">

/** The only place that decides what a person may call; every surface calls operations through it. */
export function refuseRole(operation: Called, input: unknown, { role }: CallingPerson): void {
  const needed = roleFor(operation, input)
  if (!isRoleEnough(role, needed)) throw RoleTooLow({ operation: operation.name, role, needed })
}

export type Quotas = { readonly runsAtOnce: number; readonly spendPerDayUsd: number }

/** Refuses paid work of a person above the limits; 0 is no limit. */
export async function refuseAboveQuota(
  { quota }: Called,
  { name }: CallingPerson,
  deps: { readonly quotas: Quotas; db(): Promise<Pick<Db, "all" | "dialect" | "get">> },
): Promise<void> {
  const { runsAtOnce, spendPerDayUsd } = deps.quotas
  if (quota === "run" && runsAtOnce > 0) {
    const row = await (await deps.db()).get(Working, selectWorking(name))
    const working = row?.working ?? 0
    if (working >= runsAtOnce) throw RunQuotaReached({ name, working, most: runsAtOnce })
  }
  if (quota !== undefined && spendPerDayUsd > 0) {
    const db = await deps.db()
    const rows = await db.all(CostRow, selectCostsOfDay(db.dialect, name))
    const usd = rows.reduce((sum, { cost }) => sum + costOf(cost), 0)
    if (usd >= spendPerDayUsd) throw SpendQuotaReached({ name, usd, most: spendPerDayUsd })
  }
}

function costOf(stored: string): number {
  const { reportedUsd, computedUsd } = RunCost.parse(JSON.parse(stored))
  return reportedUsd ?? computedUsd ?? 0
}
