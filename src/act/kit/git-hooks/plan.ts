import path from "node:path"
import {
  ensureDirectory,
  linkFile,
  readBounded,
  removeEmptyDirectory,
  removeFile,
  renameFile,
  statFile,
  writeFileAtomic,
} from "#ground/base"
import { GIT_HOOKS, type GitHookName, type KitChange } from "#ground/contract"
import { HookKeptExists, HookNotAFile, HooksChanged } from "./errors.ts"
import { findHooksFolder } from "./folder.ts"
import { LARGEST_HOOK_BYTES } from "./limits.ts"
import { keptName, ownerOf, renderScript } from "./script.ts"
import type { UserGit } from "./user-git.ts"

/** What would be done, for a person to look at, and the doing of it. */
export type GitHooksPlan = {
  readonly changes: readonly KitChange[]
  readonly warnings: readonly string[]
  /** Does what was shown, or nothing when something changed in between. */
  write(): Promise<void>
}

type Step = {
  readonly change?: KitChange
  readonly warning?: string
  do?(): Promise<void>
}

/** Puts our hooks where git looks for them; a person's own are kept and run first. */
export async function planGitHooks(
  git: UserGit,
  options: { readonly qm: string },
): Promise<GitHooksPlan> {
  const folder = await findHooksFolder(git)
  if (folder === undefined) return NOTHING
  if (folder.kind === "left alone") return { ...NOTHING, warnings: [sayLeftAlone(folder)] }
  const stepsOf = () => eachHook((name) => installStep(folder.path, name, options))
  return await planOf(folder.path, stepsOf, async () => {
    await ensureDirectory(folder.path, { mode: 0o755 })
  })
}

/** Takes ours away again and gives a person's own their places back. */
export async function planGitHooksRemoval(git: UserGit): Promise<GitHooksPlan> {
  const { gitCommonDirectory: common } = git.repository
  const folder = await findHooksFolder(git)
  if (folder === undefined || common === undefined) return NOTHING
  // The config may have come after our hooks: the usual place is looked at in any case.
  const usual = path.join(common, "hooks")
  const isElsewhere = folder.kind === "ours to use" && !folder.isDefault
  const folders = isElsewhere ? [folder.path, usual] : [usual]
  const plans: GitHooksPlan[] = []
  for (const it of folders) plans.push(await removalIn(it, { isDefault: it === usual }))
  return {
    changes: plans.flatMap((it) => it.changes),
    warnings: plans.flatMap((it) => it.warnings),
    async write() {
      for (const it of plans) await it.write()
    },
  }
}

async function removalIn(
  folder: string,
  { isDefault }: { readonly isDefault: boolean },
): Promise<GitHooksPlan> {
  const found = await statFile(folder)
  if (found.kind !== "found" || found.what !== "directory") return NOTHING
  const plan = await planOf(folder, () => eachHook((name) => removalStep(folder, name)))
  return {
    ...plan,
    async write() {
      await plan.write()
      const hasRemoved = plan.changes.some((it) => it.action === "remove")
      // Git does without it; one that we made would stay behind for ever.
      if (isDefault && hasRemoved) await removeEmptyDirectory(folder)
    },
  }
}

const NOTHING: GitHooksPlan = { changes: [], warnings: [], write: async () => {} }

function sayLeftAlone(folder: { readonly path: string; readonly why: string }): string {
  const lines = GIT_HOOKS.map((name) => `\`qm hook ${name} "$@"\` to ${name}`).join(", ")
  return `Git hooks are in ${folder.path}; ${folder.why}, so nothing was written there. To use ours, add ${lines}.`
}

async function eachHook(stepOf: (name: GitHookName) => Promise<Step>): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (const name of GIT_HOOKS) steps.push(await stepOf(name))
  return steps
}

/** Looks at everything before anything is written, and once more when it is. */
async function planOf(
  folder: string,
  stepsOf: () => Promise<readonly Step[]>,
  prepare: () => Promise<void> = async () => {},
): Promise<GitHooksPlan> {
  const shown = shownOf(await stepsOf())
  return {
    ...shown,
    async write() {
      const steps = await stepsOf()
      const isSame = JSON.stringify(shownOf(steps)) === JSON.stringify(shown)
      if (!isSame) throw HooksChanged({ folder })
      if (!steps.some((it) => it.do !== undefined)) return
      await prepare()
      for (const it of steps) await it.do?.()
    },
  }
}

function shownOf(steps: readonly Step[]) {
  return {
    changes: steps.flatMap((it) => it.change ?? []),
    warnings: steps.flatMap((it) => it.warning ?? []),
  }
}

async function installStep(
  folder: string,
  name: GitHookName,
  { qm }: { readonly qm: string },
): Promise<Step> {
  const file = path.join(folder, name)
  const kept = path.join(folder, keptName(name))
  const [there, keptThere] = [await lookAt(file), await lookAt(kept)]
  const text = renderScript(name, { qm })
  const write = () => writeFileAtomic(file, text, { mode: 0o755 })
  if (there === undefined) {
    const what = keptThere === undefined ? "our hook" : "our hook, before it the one kept"
    return { change: changeOf(file, "create", what), do: write }
  }
  if (there.owner === "edited") return { warning: sayEdited(file) }
  if (there.owner === "ours") {
    const isSame = there.bytes?.equals(Buffer.from(text)) === true
    if (isSame) return { change: changeOf(file, "keep", "our hook, as it is") }
    return { change: changeOf(file, "change", "our hook, made anew"), do: write }
  }
  // The same file twice is an install that was cut off between its two steps.
  const isHalfDone = keptThere !== undefined && keptThere.place === there.place
  if (keptThere !== undefined && !isHalfDone) throw HookKeptExists({ path: kept })
  return {
    change: changeOf(file, "change", `our hook; yours is kept as ${keptName(name)} and runs first`),
    async do() {
      // A second name first, and then ours over the first one: there is a hook at every moment.
      if (!isHalfDone) await linkFile(file, kept)
      await write()
    },
  }
}

async function removalStep(folder: string, name: GitHookName): Promise<Step> {
  const file = path.join(folder, name)
  const kept = path.join(folder, keptName(name))
  const [there, keptThere] = [await lookAtAny(file), await lookAt(kept)]
  const isTheirs = there !== undefined && there.owner !== "ours"
  if (isTheirs && keptThere === undefined) {
    return there.owner === "edited" ? { warning: sayEdited(file) } : {}
  }
  if (isTheirs && keptThere?.place === there.place) {
    const change = changeOf(kept, "remove", "a second name of your hook")
    return { change, do: async () => void (await removeFile(kept)) }
  }
  if (isTheirs) return { warning: sayReplaced(file, kept) }
  if (keptThere !== undefined) {
    const change = changeOf(file, "restore", `your hook, from ${keptName(name)}`)
    return { change, do: async () => void (await renameFile(kept, file, { existing: "replace" })) }
  }
  if (there === undefined) return {}
  const change = changeOf(file, "remove", "our hook")
  return { change, do: async () => void (await removeFile(file)) }
}

function changeOf(file: string, action: KitChange["action"], what: string): KitChange {
  return { path: file, action, host: null, what: `git hook: ${what}` }
}

function sayEdited(file: string): string {
  return `${file} is a hook of ours that was edited since; it is left as it is. Delete it to have it made anew.`
}

function sayReplaced(file: string, kept: string): string {
  return `${file} is no longer our hook; it is left as it is, and so is the one kept in ${kept}.`
}

type Found = {
  readonly bytes: Buffer | undefined
  /** Device and inode: what a second name leads to as well. */
  readonly place: string
  readonly owner: ReturnType<typeof ownerOf>
}

/** Undefined when nothing stands there; all but a plain file is refused. */
async function lookAt(file: string): Promise<Found | undefined> {
  const found = await statFile(file)
  if (found.kind === "missing") return undefined
  if (found.kind !== "found") throw unreadable(file, found.reason)
  if (found.what !== "regular file") throw HookNotAFile({ path: file, what: found.what })
  const place = `${found.stat.device}:${found.stat.inode}`
  // Larger than any script: a program, and so not ours.
  if (found.stat.sizeBytes > LARGEST_HOOK_BYTES) return { bytes: undefined, place, owner: "theirs" }
  const outcome = await readBounded(file, { maxBytes: LARGEST_HOOK_BYTES })
  if (outcome.kind === "read") {
    return { bytes: outcome.bytes, place, owner: ownerOf(outcome.bytes) }
  }
  throw unreadable(file, outcome.kind === "unreadable" ? outcome.reason : outcome.kind)
}

function unreadable(file: string, reason: string): Error {
  return HookNotAFile({ path: file, what: `file that cannot be read (${reason})` })
}

/** For the removal: what is no plain file is not ours, and stays. */
async function lookAtAny(file: string): Promise<Found | undefined> {
  const found = await statFile(file)
  const isOther = found.kind === "found" && found.what !== "regular file"
  return isOther ? { bytes: undefined, place: "", owner: "theirs" } : await lookAt(file)
}
