import { createHash } from "node:crypto"
import path from "node:path"
import {
  ensureDirectory,
  isInside,
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
import { REFUSED_CODE } from "./limits.ts"
import { askUserGit, type UserGit } from "./user-git.ts"

const LARGEST_HOOK_BYTES = 4 * 1_048_576

export type GitHooksPlan = {
  readonly changes: readonly KitChange[]
  readonly warnings: readonly string[]
  /** Throws `KIT_HOOKS_CHANGED` if a file changed after planning. */
  write(): Promise<void>
}

type Step = {
  readonly change?: KitChange
  readonly warning?: string
  do?(): Promise<void>
}

export async function planGitHooks(
  git: UserGit,
  options: { readonly qm: string },
): Promise<GitHooksPlan> {
  const folder = await findHooksFolder(git)
  if (folder === undefined) return NOTHING
  if (folder.kind === "foreign") return { ...NOTHING, warnings: [leftAloneWarning(folder)] }
  const stepsOf = () => eachHook((name) => installStep(folder.path, name, options))
  return await planOf(folder.path, stepsOf, async () => {
    await ensureDirectory(folder.path, { mode: 0o755 })
  })
}

export async function planGitHooksRemoval(git: UserGit): Promise<GitHooksPlan> {
  const { gitCommonDirectory: common } = git.repository
  const folder = await findHooksFolder(git)
  if (folder === undefined || common === undefined) return NOTHING
  // `core.hooksPath` may have been set after our install, so check the default folder as well.
  const usual = path.join(common, "hooks")
  const isElsewhere = folder.kind === "writable" && !folder.isDefault
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
  const fileStat = await statFile(folder)
  if (fileStat.kind !== "found" || fileStat.what !== "directory") return NOTHING
  const plan = await planOf(folder, () => eachHook((name) => removalStep(folder, name)))
  return {
    ...plan,
    async write() {
      await plan.write()
      const hasRemoved = plan.changes.some((it) => it.action === "remove")
      // Git works without the folder; one that we created would stay behind.
      if (isDefault && hasRemoved) await removeEmptyDirectory(folder)
    },
  }
}

const NOTHING: GitHooksPlan = { changes: [], warnings: [], write: async () => {} }

function leftAloneWarning(folder: { readonly path: string; readonly why: string }): string {
  const lines = GIT_HOOKS.map((name) => `\`qm hook ${name} "$@"\` to ${name}`).join(", ")
  return `Git hooks are in ${folder.path}; ${folder.why}, so nothing was written there. To use the qm hooks, add ${lines}.`
}

async function eachHook(stepOf: (name: GitHookName) => Promise<Step>): Promise<readonly Step[]> {
  const steps: Step[] = []
  for (const name of GIT_HOOKS) steps.push(await stepOf(name))
  return steps
}

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
  const keptFile = path.join(folder, keptName(name))
  const [there, keptThere] = [await lookAt(file), await lookAt(keptFile)]
  const text = renderScript(name, { qm })
  const write = () => writeFileAtomic(file, text, { mode: 0o755 })
  if (there === undefined) {
    const what = keptThere === undefined ? "the qm hook" : "the qm hook; your kept hook runs first"
    return { change: changeOf(file, "create", what), do: write }
  }
  if (there.owner === "edited") return { warning: editedWarning(file) }
  if (there.owner === "ours") {
    const isSame = there.bytes?.equals(Buffer.from(text)) === true
    if (isSame) return { change: changeOf(file, "keep", "the qm hook, unchanged") }
    return { change: changeOf(file, "change", "the qm hook, rewritten"), do: write }
  }
  // Both names lead to the same file: an install was interrupted between its two steps.
  const isHalfDone = keptThere !== undefined && keptThere.place === there.place
  if (keptThere !== undefined && !isHalfDone) throw HookKeptExists({ path: keptFile })
  return {
    change: changeOf(
      file,
      "change",
      `the qm hook; yours is kept as ${keptName(name)} and runs first`,
    ),
    async do() {
      // Link the kept name first, then replace the original: a hook is in place at every moment.
      if (!isHalfDone) await linkFile(file, keptFile)
      await write()
    },
  }
}

async function removalStep(folder: string, name: GitHookName): Promise<Step> {
  const file = path.join(folder, name)
  const keptFile = path.join(folder, keptName(name))
  const [there, keptThere] = [await lookAtAny(file), await lookAt(keptFile)]
  const isTheirs = there !== undefined && there.owner !== "ours"
  if (isTheirs && keptThere === undefined) {
    return there.owner === "edited" ? { warning: editedWarning(file) } : {}
  }
  if (isTheirs && keptThere?.place === there.place) {
    const change = changeOf(keptFile, "remove", "a second name of your hook")
    return { change, do: async () => void (await removeFile(keptFile)) }
  }
  if (isTheirs) return { warning: replacedWarning(file, keptFile) }
  if (keptThere !== undefined) {
    const change = changeOf(file, "restore", `your hook, from ${keptName(name)}`)
    return {
      change,
      do: async () => void (await renameFile(keptFile, file, { existing: "replace" })),
    }
  }
  if (there === undefined) return {}
  const change = changeOf(file, "remove", "the qm hook")
  return { change, do: async () => void (await removeFile(file)) }
}

function changeOf(file: string, action: KitChange["action"], what: string): KitChange {
  return { path: file, action, host: null, what: `git hook: ${what}` }
}

function editedWarning(file: string): string {
  return `${file} is a qm hook that was edited since; it was left in place. Delete it to have it rewritten.`
}

function replacedWarning(file: string, keptFile: string): string {
  return `${file} is no longer the qm hook; it was left in place, and so was your kept hook in ${keptFile}.`
}

type FoundHook = {
  readonly bytes: Buffer | undefined
  /** Device and inode, equal for two hard links. */
  readonly place: string
  readonly owner: ReturnType<typeof ownerOf>
}

async function lookAt(file: string): Promise<FoundHook | undefined> {
  const fileStat = await statFile(file)
  if (fileStat.kind === "missing") return undefined
  if (fileStat.kind !== "found") throw unreadable(file, fileStat.reason)
  if (fileStat.what !== "regular file") throw HookNotAFile({ path: file, what: fileStat.what })
  const inode = `${fileStat.stat.device}:${fileStat.stat.inode}`
  // Larger than any script, so it is a program and not ours.
  if (fileStat.stat.sizeBytes > LARGEST_HOOK_BYTES)
    return { bytes: undefined, place: inode, owner: "theirs" }
  const outcome = await readBounded(file, { maxBytes: LARGEST_HOOK_BYTES })
  if (outcome.kind === "read") {
    return { bytes: outcome.bytes, place: inode, owner: ownerOf(outcome.bytes) }
  }
  throw unreadable(file, outcome.kind === "unreadable" ? outcome.reason : outcome.kind)
}

function unreadable(file: string, reason: string): Error {
  return HookNotAFile({ path: file, what: `file that cannot be read (${reason})` })
}

async function lookAtAny(file: string): Promise<FoundHook | undefined> {
  const fileStat = await statFile(file)
  const isOther = fileStat.kind === "found" && fileStat.what !== "regular file"
  return isOther ? { bytes: undefined, place: "", owner: "theirs" } : await lookAt(file)
}

type HooksFolder =
  | { readonly kind: "writable"; readonly path: string; readonly isDefault: boolean }
  /** Another tool writes there, or other repositories use the folder too. */
  | { readonly kind: "foreign"; readonly path: string; readonly why: string }

async function findHooksFolder(git: UserGit): Promise<HooksFolder | undefined> {
  const { gitCommonDirectory: common, root } = git.repository
  if (common === undefined) return undefined
  const set = await configuredFolder(git)
  if (set === undefined) return await lookedAt(path.join(common, "hooks"), { isDefault: true })

  const folder = path.resolve(root, set.value)
  const isOfGit = isInside(common, folder)
  if (!set.isOfRepository) {
    return { kind: "foreign", path: folder, why: "all your repositories use that folder" }
  }
  // Husky rewrites such a folder at every install, and tracked files reach everybody.
  if (isInside(root, folder) && !isOfGit) {
    return { kind: "foreign", path: folder, why: "that folder belongs to the project" }
  }
  return await lookedAt(folder, { isDefault: false })
}

async function lookedAt(
  folder: string,
  { isDefault }: { readonly isDefault: boolean },
): Promise<HooksFolder> {
  const fileStat = await statFile(folder)
  const isUsable =
    fileStat.kind === "missing" || (fileStat.kind === "found" && fileStat.what === "directory")
  if (isUsable) return { kind: "writable", path: folder, isDefault }
  const what =
    fileStat.kind === "found" ? `that path is a ${fileStat.what}` : "that path cannot be read"
  return { kind: "foreign", path: folder, why: what }
}

type HooksPathSetting = { readonly value: string; readonly isOfRepository: boolean }

/** Parses `scope NUL value NUL`; git resolves `~` itself. */
async function configuredFolder(git: UserGit): Promise<HooksPathSetting | undefined> {
  const args = ["config", "--null", "--show-scope", "--type=path", "--get", "core.hooksPath"]
  const answer = await askUserGit(git, { args })
  const [scope = "", value = ""] = answer?.output.toString().split("\0") ?? []
  if (answer?.code !== 0 || value === "") return undefined
  return { value, isOfRepository: scope === "local" || scope === "worktree" }
}

function keptName(name: GitHookName): string {
  return `${name}.qm-kept`
}

export function renderScript(name: GitHookName, options: { readonly qm: string }): string {
  const body = bodyOf(name, options.qm)
  return `#!/bin/sh\n${MARK}${digestOf(body)}\n${body}`
}

const MARK = "# A git hook of qm, removed by `qm uninstall`. sha256:"

/** `edited` is a qm hook that was changed after the install. */
export function ownerOf(bytes: Uint8Array): "ours" | "edited" | "theirs" {
  // One character per byte: a hook may be a binary, and the hash covers bytes.
  const text = Buffer.from(bytes).toString("latin1")
  const [, digest, body] = SCRIPT.exec(text) ?? []
  if (digest === undefined || body === undefined)
    return /^# A git hook of qm, .*sha256:/m.test(text) ? "edited" : "theirs"
  return digest === digestOf(Buffer.from(body, "latin1")) ? "ours" : "edited"
}

const SCRIPT = /^#!\/bin\/sh\n# A git hook of qm, [^\n]*sha256:([0-9a-f]{64})\n([^]*)$/

function digestOf(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("hex")
}

/**
 * Other hook installers may wrap our script in turn; the chain variable stops the recursion. Only a
 * rejection by qm stops git, no other failure.
 */
function bodyOf(name: GitHookName, qm: string): string {
  return `# Your own hook, if any, is kept beside this file and runs first. If it fails, this hook fails.
kept="\${0%/*}/${keptName(name)}"
qm=${quoted(qm)}
chain="$PWD:$kept"
[ "\${QM_HOOK_CHAIN-}" = "$chain" ] && exit 0
${name === "pre-push" ? startWithInput(name) : start(name)}
[ $? -eq ${REFUSED_CODE} ] && exit 1
exit 0
`
}

function start(name: GitHookName): string {
  return `if [ -x "$kept" ]; then
  QM_HOOK_CHAIN="$chain" "$kept" "$@" || exit $?
fi
[ -x "$qm" ] || exit 0
"$qm" hook ${name} "$@"`
}

/**
 * Standard input can be read only once and both hooks need it. The trailing character preserves
 * newlines.
 */
function startWithInput(name: GitHookName): string {
  return `input=$(cat; printf x)
if [ -x "$kept" ]; then
  printf %s "\${input%x}" 2>/dev/null | QM_HOOK_CHAIN="$chain" "$kept" "$@" || exit $?
fi
[ -x "$qm" ] || exit 0
printf %s "\${input%x}" 2>/dev/null | "$qm" hook ${name} "$@"`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
