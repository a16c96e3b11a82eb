import { removeEmptyDirectory } from "#ground/base"
import type { KitDone, KitHost, KitLevelCost } from "#ground/contract"
import { PlanStale } from "./errors.ts"
import { withLock } from "./files/lock.ts"
import { writeAll } from "./files/transaction.ts"
import { findHosts } from "./find-hosts.ts"
import { type Installed, lookAtInstalled } from "./installed.ts"
import { costOfLevels } from "./levels/cost.ts"
import { type Asked, type KitDeps, type KitPlan, planChange } from "./plan.ts"
import { kitFolder } from "./wanted.ts"

export type Kit = ReturnType<typeof createKit>

/** Installing into hosts, and taking it all back. */
export function createKit(deps: KitDeps) {
  return {
    /** Refuses, with a coded error, what could not be written or put back. */
    async plan(asked: Asked, signal: AbortSignal): Promise<KitPlan> {
      return (await planChange(deps, asked, { signal })).plan
    },
    async planUninstall(signal: AbortSignal): Promise<KitPlan> {
      return (await planChange(deps, undefined, { signal })).plan
    },
    /** All of it or nothing. */
    apply: (plan: KitPlan, signal: AbortSignal): Promise<KitDone> => apply(deps, plan, signal),
    installed: (): Promise<Installed> => lookAtInstalled(deps),
    hostsFound: (): Promise<readonly KitHost[]> => findHosts(deps),
    levelTable: (asked: {
      readonly measure: boolean
      readonly signal: AbortSignal
    }): Promise<readonly KitLevelCost[]> => costOfLevels(deps, asked),
  }
}

/** Planned once more under the lock: what is written is what was shown, or nothing. */
async function apply(deps: KitDeps, plan: KitPlan, signal: AbortSignal): Promise<KitDone> {
  const asked = plan.level === null ? undefined : { hosts: plan.hosts, level: plan.level }
  const done = await withLock(kitFolder(deps.home), deps, async (madeFolders) => {
    const prepared = await planChange(deps, asked, { signal, madeFolders })
    if (prepared.plan.fingerprint !== plan.fingerprint) throw PlanStale({})
    await writeAll(prepared.writes, { log: deps.log, finish: prepared.finish })
    return prepared
  })
  for (const folder of done.foldersToClear.toReversed()) await removeEmptyDirectory(folder)
  const { level, changes, warnings, next } = done.plan
  return {
    level,
    isApplied: true,
    changes: [...changes],
    warnings: [...warnings],
    next: [...next],
  }
}
