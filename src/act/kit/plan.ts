import path from "node:path"
import { type Clock, compareText, type Log, type Random, statFile } from "#ground/base"
import type { KitChange, KitHost } from "#ground/contract"
import type { Repository } from "#see/repo"
import { NoHost } from "./errors.ts"
import { digest } from "./files/digest.ts"
import type { Write } from "./files/transaction.ts"
import { type GitHooksPlan, planGitHooks, planGitHooksRemoval } from "./git-hooks/plan.ts"
import { HOST_FORMS } from "./hosts/hosts.ts"
import { GIT_HOOKS_FROM_LEVEL } from "./levels/levels.ts"
import { type EnrolledRepository, type Files, type Manifest, readManifest } from "./manifest.ts"
import { markAt } from "./mark.ts"
import { planRepository } from "./plan-repository.ts"
import { planUser } from "./plan-user.ts"
import type { Step } from "./reconcile.ts"
import { backupWrites, manifestWrite } from "./upkeep.ts"
import { wiringOf } from "./wanted.ts"

export type KitDeps = {
  readonly repository: Repository
  /** `.qm/config.json` of the project; its `kit.level` is written here, with everything else. */
  readonly configFile: string
  /** The level in force here, from all layers of the config. */
  level(): Promise<number>
  /** The user's own folder, `~/.qm`. */
  readonly home: string
  readonly userHome: string
  /** PATH, CLAUDE_CONFIG_DIR and CODEX_HOME are looked at; git gets what it needs of it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform: "linux" | "darwin" | "win32"
  /** Both absolute. */
  readonly runtime: { readonly node: string; readonly qm: string; readonly main: string }
  /** Git itself, absolute; undefined where there is none: then git hooks are left alone. */
  readonly git: string | undefined
  /** The bundle of the hooks with its SHA-256. */
  bundle(): Promise<{ readonly bytes: Uint8Array; readonly hash: string }>
  /** The folder of templates of this package. */
  readonly templates: string
  countTokens(text: string): number | Promise<number>
  /** What a session would be told at its start now; empty for nothing. */
  bootText(level: number): Promise<string>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** What would be done, to be shown to a person before it is. */
export type KitPlan = {
  readonly kind: "install" | "uninstall"
  /** null for an uninstall. */
  readonly level: number | null
  readonly hosts: readonly KitHost[]
  readonly changes: readonly KitChange[]
  readonly warnings: readonly string[]
  readonly next: readonly string[]
  /** Which bytes it was made from and would lead to. */
  readonly fingerprint: string
}

export type Asked = { readonly hosts: readonly KitHost[]; readonly level: number }

/** A plan with everything that is needed to carry it out. */
export type Prepared = {
  readonly plan: KitPlan
  readonly writes: readonly Write[]
  /** Comes last, and all files are put back when it fails. */
  finish(): Promise<void>
  /** Ours from an earlier install, that go with the last of it; the outermost first. */
  readonly foldersToClear: readonly string[]
}

type Options = { readonly signal: AbortSignal; readonly madeFolders?: readonly string[] }

/** To what is asked for, or back to how it was; nothing is written here. */
export async function planChange(
  deps: KitDeps,
  asked: Asked | undefined,
  options: Options,
): Promise<Prepared> {
  if (asked?.hosts.length === 0) throw NoHost({})
  const manifest = await readManifest(deps.home)
  const { stateDirectory } = deps.repository
  const own = manifest.repositories.find((it) => it.stateDirectory === stateDirectory)
  const others = await stillEnrolled(manifest, stateDirectory)
  const wiring = wiringOf(asked === undefined ? others : [...others, asked])
  const user = await planUser(deps, manifest, { wiring, isLeaving: asked === undefined })
  const repository = await planRepository(deps, own, asked)
  const git = await planGit(deps, asked, options.signal)

  const enrolled = enrolledOf(deps, asked, { ...repository, others })
  const folders = [...new Set([...manifest.folders, ...(options.madeFolders ?? [])])]
  const after: Manifest = { ...manifest, ...user.kept, repositories: enrolled, folders }
  const steps = [...user.steps, ...repository.steps]
  const isLast = enrolled.length === 0
  return {
    plan: planOf(deps, asked, { steps, git }),
    writes: await orderWrites(deps, { user: user.steps, repository: repository.steps, after }),
    finish: () => git.write(),
    foldersToClear: isLast ? folders : [],
  }
}

/** One that was deleted, or taken out by hand, wires nothing any more. */
async function stillEnrolled(
  manifest: Manifest,
  except: string,
): Promise<readonly EnrolledRepository[]> {
  const found: EnrolledRepository[] = []
  for (const it of manifest.repositories) {
    if (it.stateDirectory === except) continue
    const mark = await statFile(markAt(it.stateDirectory))
    if (mark.kind !== "missing") found.push(it)
  }
  return found
}

type Planned = { readonly steps: readonly Step[] }

async function planGit(
  deps: KitDeps,
  asked: Asked | undefined,
  signal: AbortSignal,
): Promise<GitHooksPlan> {
  const { repository, environment, git: file } = deps
  if (file === undefined || repository.gitCommonDirectory === undefined) return NO_GIT_HOOKS
  const git = { file, repository, environment, signal }
  const isWanted = asked !== undefined && asked.level >= GIT_HOOKS_FROM_LEVEL
  return isWanted ? planGitHooks(git, deps.runtime) : planGitHooksRemoval(git)
}

const NO_GIT_HOOKS: GitHooksPlan = { changes: [], warnings: [], write: async () => {} }

function enrolledOf(
  { repository }: KitDeps,
  asked: Asked | undefined,
  it: { readonly files: Files; readonly others: readonly EnrolledRepository[] },
): EnrolledRepository[] {
  if (asked === undefined) return [...it.others]
  const { root, stateDirectory } = repository
  const own = { stateDirectory, root, level: asked.level, hosts: [...asked.hosts], files: it.files }
  return [...it.others, own].toSorted((a, b) => compareText(a.stateDirectory, b.stateDirectory))
}

function planOf(
  deps: KitDeps,
  asked: Asked | undefined,
  { steps, git }: Planned & { readonly git: GitHooksPlan },
): KitPlan {
  const { root } = deps.repository
  const changes = [...steps.map((it) => shown(it, root)), ...git.changes]
  const inTree = changes.filter((it) => !path.isAbsolute(it.path) && it.action !== "keep")
  const commit = `In the repository, commit it or not: ${inTree.map((it) => it.path).join(", ")}.`
  const hosts = asked?.hosts ?? []
  return {
    kind: asked === undefined ? "uninstall" : "install",
    level: asked?.level ?? null,
    hosts,
    changes,
    warnings: [...steps.flatMap((it) => it.warning ?? []), ...git.warnings],
    next: [
      ...(inTree.length > 0 ? [commit] : []),
      ...hosts.filter((it) => isTouched(it, steps)).flatMap((it) => HOST_FORMS[it].next ?? []),
    ],
    fingerprint: fingerprintOf(steps, git),
  }
}

/** Whether hooks of it are written: only then is something left to do. */
function isTouched(host: KitHost, steps: readonly Step[]): boolean {
  return steps.some(
    ({ change, write }) =>
      change.host === host && write !== undefined && change.path.endsWith(".json"),
  )
}

/** What lies in the working tree is named from its root; its state is not part of the tree. */
function shown({ change }: Step, root: string): KitChange {
  const from = path.relative(root, change.path)
  const [first] = from.split(path.sep)
  const isInTree = first !== ".." && first !== ".git" && !path.isAbsolute(from)
  return isInTree ? { ...change, path: from } : change
}

function fingerprintOf(steps: readonly Step[], git: GitHooksPlan): string {
  const seen = steps.map(({ change, write }) => [
    change.path,
    change.action,
    write?.before === undefined ? null : digest(write.before.bytes),
    // The enrolment has the time in it.
    write?.after === undefined || change.path.endsWith("kit.json")
      ? null
      : digest(write.after.bytes),
  ])
  return digest(JSON.stringify([seen, git.changes]))
}

/**
 * In: what was there is kept aside first, then the list of it all, so that nothing of ours stands
 * anywhere without being listed; the enrolment comes last, and hooks are silent until then. Out:
 * the other way round.
 */
async function orderWrites(
  deps: KitDeps,
  it: {
    readonly user: readonly Step[]
    readonly repository: readonly Step[]
    readonly after: Manifest
  },
): Promise<readonly Write[]> {
  const writesOf = (steps: readonly Step[]) => steps.flatMap((step) => step.write ?? [])
  const manifest = await manifestWrite(deps.home, it.after)
  if (it.after.repositories.every((one) => one.stateDirectory !== deps.repository.stateDirectory))
    return [...writesOf(it.repository), ...writesOf(it.user), ...manifest]
  const backups = await backupWrites(deps.home, [...it.user, ...it.repository])
  return [...backups, ...manifest, ...writesOf(it.user), ...writesOf(it.repository)]
}
