import path from "node:path"
import {
  type Clock,
  ensureDirectory,
  type Random,
  removeEmptyDirectory,
  statFile,
  withFileLock,
} from "#ground/base"
import {
  KIT_HOSTS,
  type KitDone,
  type KitHost,
  type KitLevelCost,
  type KitPacks,
} from "#ground/contract"
import { loadHost, realDisk } from "#see/hosts"
import { kitFolder } from "./desired-files.ts"
import { InstallerBusy, PlanStale } from "./errors.ts"
import { writeAll } from "./files/transaction.ts"
import type { Template } from "./hosts/host.ts"
import { HOST_FORMS } from "./hosts/hosts.ts"
import { type InstalledKit, lookAtInstalled } from "./installed-kit.ts"
import { hooksOfLevel, LEVEL_ADDS, LEVELS, measureEdits } from "./levels.ts"
import { listedLine, listPacks, type PackChange, planPacks } from "./packs.ts"
import { type KitDeps, type KitPlan, type KitRequest, planChange } from "./plan.ts"
import { readTemplates } from "./templates.ts"
import { bootLines } from "./texts/boot.ts"

const LOCK_TRY_MS = 100

/** The lock holder writes a dozen small files; after this time it is stuck. */
const LOCK_TRIES = 50

export type Kit = ReturnType<typeof createKit>

export function createKit(deps: KitDeps) {
  return {
    /** Throws a coded error for a file that could not be written or restored. */
    async plan(request: KitRequest, signal: AbortSignal): Promise<KitPlan> {
      return (await planChange(deps, request, { signal })).plan
    },
    async planUninstall(signal: AbortSignal): Promise<KitPlan> {
      return (await planChange(deps, undefined, { signal })).plan
    },
    apply: (plan: KitPlan, signal: AbortSignal): Promise<KitDone> => apply(deps, plan, signal),
    installed: (): Promise<InstalledKit> => lookAtInstalled(deps),
    packs: (): Promise<KitPacks> => listPacks(deps),
    planPacks: (change: PackChange, signal: AbortSignal): Promise<KitPlan> =>
      planPacks(deps, change, signal),
    hostsFound: (): Promise<readonly KitHost[]> => findHosts(deps),
    levelTable: (options: {
      readonly measure: boolean
      readonly signal: AbortSignal
    }): Promise<readonly KitLevelCost[]> => costOfLevels(deps, options),
  }
}

/** Plans again under the lock, so that only the plan that was shown is written. */
async function apply(deps: KitDeps, plan: KitPlan, signal: AbortSignal): Promise<KitDone> {
  const { hosts, level: wantedLevel, statusLine, packs } = plan
  const request =
    wantedLevel === null ? undefined : { hosts, level: wantedLevel, statusLine, packs }
  const done = await withLock(kitFolder(deps.home), deps, async (madeFolders) => {
    const prepared = await planChange(deps, request, { signal, madeFolders })
    if (prepared.plan.fingerprint !== plan.fingerprint) throw PlanStale({})
    await writeAll(prepared.writes, { log: deps.log, finish: prepared.finish })
    return prepared
  })
  const deepestFirst = done.foldersToClear.toSorted((a, b) => b.length - a.length)
  for (const folder of deepestFirst) await removeEmptyDirectory(folder)
  const { level, changes, warnings, next } = done.plan
  return {
    level,
    isApplied: true,
    changes: [...changes],
    warnings: [...warnings],
    next: [...next],
  }
}

async function findHosts(deps: KitDeps): Promise<readonly KitHost[]> {
  const hosts: KitHost[] = []
  for (const host of KIT_HOSTS) if (await isHere(host, deps)) hosts.push(host)
  return hosts
}

async function isHere(host: KitHost, deps: KitDeps): Promise<boolean> {
  const { userHome, environment, platform, repository } = deps
  const context = { workingDirectory: repository.root, home: userHome, environment, platform }
  const program = await (await loadHost(host)).findInstalled(context, realDisk())
  if (program !== undefined) return true
  // Antigravity shares Gemini's folder, so the folder alone proves nothing.
  if (host === "antigravity") return false
  return (await statFile(HOST_FORMS[host].folder(deps))).kind === "found"
}

type LockDeps = { readonly clock: Pick<Clock, "sleep">; readonly random: Random }

async function withLock<Result>(
  folder: string,
  { clock, random }: LockDeps,
  work: (madeFolders: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const made = await missingAt([path.dirname(folder), folder])
  await ensureDirectory(folder)
  const lock = { clock, random, tries: LOCK_TRIES, tryMs: LOCK_TRY_MS, busy: InstallerBusy }
  try {
    return await withFileLock(path.join(folder, "install.lock"), lock, () => work(made))
  } finally {
    for (const it of made.toReversed()) await removeEmptyDirectory(it)
  }
}

async function missingAt(folders: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = []
  for (const it of folders) if ((await statFile(it)).kind === "missing") missing.push(it)
  return missing
}

type LevelsRequest = { readonly measure: boolean; readonly signal: AbortSignal }

async function costOfLevels(
  deps: KitDeps,
  { measure, signal }: LevelsRequest,
): Promise<readonly KitLevelCost[]> {
  const templates = await readTemplates(deps.templates)
  const measured = measure ? await measureEdits(deps, signal) : undefined
  const costs: KitLevelCost[] = []
  for (const level of LEVELS) {
    costs.push({
      level,
      adds: LEVEL_ADDS[level],
      hooks: [...hooksOfLevel(level)],
      installs: templates.filter((it) => it.level === level).map((it) => it.name),
      startTokens: await deps.countTokens(await startText(templates, level, deps)),
      toolCallMs: measured?.(level) ?? null,
    })
  }
  return costs
}

/**
 * The text in a context window before the first prompt: our names, the boot file, and the boot
 * hook's output.
 */
async function startText(
  templates: readonly Template[],
  level: number,
  { bootText }: KitDeps,
): Promise<string> {
  const listed = templates.filter((it) => it.level <= level).map(listedLine)
  return [...listed, ...bootLines(level), await bootText(level)].join("\n")
}
