import path from "node:path"
import {
  type Clock,
  compareText,
  type Log,
  listDirectory,
  type Random,
  readBounded,
  readTextBounded,
  statFile,
} from "#ground/base"
import type { KitChange, KitHost } from "#ground/contract"
import type { Repository } from "#see/repo"
import {
  anchorOf,
  bundleFile,
  type HostLevel,
  isOwnStatusLine,
  type KitContext,
  kitFolder,
  type PackChoice,
  STATUS_LINE_FIELD,
  type WantedFile,
  wantedForRepository,
  wantedForUser,
  wiringOf,
} from "./desired-files.ts"
import { markAt, newMark, readMark } from "./enrolment.ts"
import { BundleInvalid, NoHost } from "./errors.ts"
import { digest, inspect, inspectText } from "./files/inspect.ts"
import type { Write } from "./files/transaction.ts"
import { type GitHooksPlan, planGitHooks, planGitHooksRemoval } from "./git-hooks/plan.ts"
import { HOST_FORMS } from "./hosts/hosts.ts"
import { GIT_HOOKS_FROM_LEVEL } from "./levels.ts"
import { LARGEST_BUNDLE_BYTES } from "./limits.ts"
import {
  type EnrolledRepository,
  type FileRecord,
  type Files,
  type Manifest,
  manifestFile,
  readManifest,
  renderManifest,
  splitFiles,
} from "./manifest.ts"
import { findStrays, reconcileDeps } from "./owned-files.ts"
import { findActivePlugins, PLUGIN_ID } from "./plugin/active-plugin.ts"
import { backupName, reconcile, recordsOf, type Step } from "./reconcile.ts"
import { readTemplates } from "./templates.ts"
import { readFields, readSetting } from "./texts/json-text.ts"

export type KitDeps = {
  readonly repository: Repository
  readonly configFile: string
  level(): Promise<number>
  readonly home: string
  readonly userHome: string
  /** Reads PATH, CLAUDE_CONFIG_DIR and CODEX_HOME; git gets the variables it needs. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform: "linux" | "darwin" | "win32"
  readonly runtime: { readonly node: string; readonly qm: string; readonly main: string }
  /** Absolute path; undefined without git, and then git hooks are skipped. */
  readonly git: string | undefined
  bundle(): Promise<{
    readonly bytes: Uint8Array
    readonly hash: string
    /** The plugin of opencode. */
    readonly pluginCode: string
  }>
  readonly templates: string
  countTokens(text: string): number | Promise<number>
  /** The text that the boot hook would give a session now; may be empty. */
  bootText(level: number): Promise<string>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export type KitPlan = {
  readonly kind: "install" | "uninstall"
  readonly level: number | null
  readonly hosts: readonly KitHost[]
  readonly statusLine: KitRequest["statusLine"]
  readonly packs: KitRequest["packs"]
  readonly changes: readonly KitChange[]
  readonly warnings: readonly string[]
  readonly next: readonly string[]
  /** Hash of the bytes before and after. */
  readonly fingerprint: string
}

export type KitRequest = {
  readonly hosts: readonly KitHost[]
  readonly level: number
  /** Undefined: as they are. */
  readonly packs?: PackChoice | undefined
  /** `replace` also replaces the user's own. An installed status line of ours stays in any case. */
  readonly statusLine?: "add" | "replace" | undefined
}

export type PreparedPlan = {
  readonly plan: KitPlan
  readonly writes: readonly Write[]
  finish(): Promise<void>
  /** Folders of an earlier install that are removed with its last file, outermost first. */
  readonly foldersToClear: readonly string[]
}

type Options = { readonly signal: AbortSignal; readonly madeFolders?: readonly string[] }

/** Plans the change to `request`, or the uninstall if it is undefined. Writes nothing. */
export async function planChange(
  deps: KitDeps,
  request: KitRequest | undefined,
  options: Options,
): Promise<PreparedPlan> {
  if (request?.hosts.length === 0) throw NoHost({})
  const manifest = await readManifest(deps.home)
  const { stateDirectory } = deps.repository
  const own = manifest.repositories.find((it) => it.stateDirectory === stateDirectory)
  const others = await stillEnrolled(manifest, stateDirectory)
  const wiring = wiringOf(request === undefined ? others : [...others, request])
  const plugins = await findActivePlugins(deps)
  const isLeaving = request === undefined
  const statusLine = await planStatusLine(deps, request)
  const user = await planUser(deps, manifest, {
    wiring,
    plugins,
    isLeaving,
    statusLine: statusLine.wanted,
    packs: request?.packs ?? manifest.packs,
  })
  const repository = await planRepository(deps, own, request)
  const git = await planGit(deps, request, options.signal)

  const enrolled = enrolledOf(deps, request, { ...repository, others })
  const left = foldersLeft(manifest.files, user.kept.files)
  const folders = [...new Set([...manifest.folders, ...left, ...(options.madeFolders ?? [])])]
  const chosen = request?.packs ?? manifest.packs
  const packs = { added: [...chosen.added], removed: [...chosen.removed] }
  const after: Manifest = { ...manifest, ...user.kept, repositories: enrolled, folders, packs }
  const steps = [...user.steps, ...repository.steps]
  const isLast = enrolled.length === 0
  return {
    plan: planOf(deps, request, { steps, git, plugins, statusLine }),
    writes: await orderWrites(deps, { user: user.steps, repository: repository.steps, after }),
    finish: () => git.write(),
    foldersToClear: isLast ? folders : [],
  }
}

/** Folders of files that are no longer ours; another file of ours may still be in them. */
function foldersLeft(before: Files, after: Files): readonly string[] {
  const gone = Object.entries(before).filter(([file]) => after[file] === undefined)
  return gone.flatMap(([, it]) => it.folders).toSorted((a, b) => a.length - b.length)
}

/** A deleted repository, or one whose enrolment was removed by hand, no longer counts. */
async function stillEnrolled(
  manifest: Manifest,
  except: string,
): Promise<readonly EnrolledRepository[]> {
  const enrolled: EnrolledRepository[] = []
  for (const repository of manifest.repositories) {
    if (repository.stateDirectory === except) continue
    const mark = await statFile(markAt(repository.stateDirectory))
    if (mark.kind !== "missing") enrolled.push(repository)
  }
  return enrolled
}

type PlannedSteps = { readonly steps: readonly Step[] }

async function planGit(
  deps: KitDeps,
  request: KitRequest | undefined,
  signal: AbortSignal,
): Promise<GitHooksPlan> {
  const { repository, environment, git: file } = deps
  if (file === undefined || repository.gitCommonDirectory === undefined) return NO_GIT_HOOKS
  const git = { file, repository, environment, signal }
  const isWanted = request !== undefined && request.level >= GIT_HOOKS_FROM_LEVEL
  return isWanted ? planGitHooks(git, deps.runtime) : planGitHooksRemoval(git)
}

const NO_GIT_HOOKS: GitHooksPlan = { changes: [], warnings: [], write: async () => {} }

function enrolledOf(
  { repository }: KitDeps,
  request: KitRequest | undefined,
  it: { readonly files: Files; readonly others: readonly EnrolledRepository[] },
): EnrolledRepository[] {
  if (request === undefined) return [...it.others]
  const { root, stateDirectory } = repository
  const own = {
    stateDirectory,
    root,
    level: request.level,
    hosts: [...request.hosts],
    files: it.files,
  }
  return [...it.others, own].toSorted((a, b) => compareText(a.stateDirectory, b.stateDirectory))
}

type PlannedStatusLine = {
  readonly wanted: KitContext["statusLine"]
  readonly warnings: readonly string[]
}

/** Ours stays once it is installed; the user's own is replaced only if asked for by name. */
async function planStatusLine(
  deps: KitDeps,
  request: KitRequest | undefined,
): Promise<PlannedStatusLine> {
  const form = HOST_FORMS["claude-code"]
  const { path: file } = form.settings(deps)
  const { found } = await inspectText({ path: file, within: anchorOf(form, deps) })
  const text = found?.bytes.toString().replace(/^\uFEFF/, "") ?? ""
  const value = readFields(file, text)[STATUS_LINE_FIELD]
  if (value !== undefined && isOwnStatusLine(deps.home)(value)) {
    return { wanted: { mayReplace: true }, warnings: [] }
  }
  const wish = request?.statusLine
  if (wish === undefined) return { wanted: undefined, warnings: [] }
  if (!request?.hosts.includes("claude-code")) {
    const warning = "Only Claude Code has a status line, and it is not among the hosts."
    return { wanted: undefined, warnings: [warning] }
  }
  const keepsOwn = value !== undefined && wish === "add"
  const warning = `${file} has a status line of its own, which stays. To replace it until \`qm uninstall\`: \`qm init --statusline --replace-statusline\`.`
  return {
    wanted: keepsOwn ? undefined : { mayReplace: wish === "replace" },
    warnings: keepsOwn ? [warning] : [],
  }
}

type PlannedChange = PlannedSteps & {
  readonly statusLine: PlannedStatusLine
  readonly git: GitHooksPlan
  readonly plugins: ReadonlySet<KitHost>
}

function planOf(
  deps: KitDeps,
  request: KitRequest | undefined,
  { steps, git, plugins, statusLine }: PlannedChange,
): KitPlan {
  const { root } = deps.repository
  const changes = [...steps.map((it) => shown(it, root)), ...git.changes]
  const inTree = changes.filter((it) => !path.isAbsolute(it.path) && it.action !== "keep")
  const commit = `Changed in the repository: ${inTree.map((it) => it.path).join(", ")}. Commit it to share it with your team.`
  const hosts = request?.hosts ?? []
  return {
    kind: request === undefined ? "uninstall" : "install",
    level: request?.level ?? null,
    hosts,
    statusLine: request?.statusLine,
    packs: request?.packs,
    changes,
    warnings: [
      ...statusLine.warnings,
      ...steps.flatMap((it) => it.warning ?? []),
      ...git.warnings,
      ...hosts.filter((it) => plugins.has(it)).map(pluginNote),
    ],
    next: [
      ...(inTree.length > 0 ? [commit] : []),
      ...hosts.filter((it) => isTouched(it, steps)).flatMap((it) => HOST_FORMS[it].next ?? []),
    ],
    fingerprint: fingerprintOf(steps, git),
  }
}

function pluginNote(host: KitHost): string {
  return `${HOST_FORMS[host].title} has the plugin ${PLUGIN_ID}: its hooks, commands and skills come from there, and qm init writes none.`
}

function isTouched(host: KitHost, steps: readonly Step[]): boolean {
  return steps.some(
    ({ change, write }) =>
      change.host === host && write !== undefined && change.path.endsWith(".json"),
  )
}

function shown({ change }: Step, root: string): KitChange {
  const from = path.relative(root, change.path)
  const [first] = from.split(path.sep)
  const isInTree = first !== ".." && first !== ".git" && !path.isAbsolute(from)
  return isInTree ? { ...change, path: from } : change
}

function fingerprintOf(steps: readonly Step[], git: GitHooksPlan): string {
  const contents = steps.map(({ change, write }) => [
    change.path,
    change.action,
    write?.before === undefined ? null : digest(write.before.bytes),
    // The enrolment contains a time, so it is not part of the fingerprint.
    write?.after === undefined || change.path.endsWith("kit.json")
      ? null
      : digest(write.after.bytes),
  ])
  return digest(JSON.stringify([contents, git.changes]))
}

/**
 * Install writes backups first, then the manifest, so that every installed file is listed; the
 * enrolment comes last, and hooks do nothing until then. Uninstall uses the reverse order.
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

/** The original bytes, stored once per content; they also stay after an uninstall. */
async function backupWrites(home: string, steps: readonly Step[]): Promise<readonly Write[]> {
  const writes = new Map<string, Write>()
  for (const { backup } of steps) {
    if (backup === undefined) continue
    const file = path.join(kitFolder(home), "backups", backupName(backup))
    const spot = await inspect({ path: file, within: home })
    if (spot.found?.bytes.equals(backup.bytes) === true) continue
    writes.set(file, writeOf(spot, { bytes: backup.bytes, mode: 0o600 }))
  }
  return [...writes.values()]
}

async function manifestWrite(home: string, manifest: Manifest): Promise<readonly Write[]> {
  const spot = await inspect({ path: manifestFile(home), within: home })
  const text = renderManifest(manifest)
  if (text === undefined) return spot.found === undefined ? [] : [writeOf(spot, undefined)]
  const after = { bytes: Buffer.from(text), mode: 0o600 }
  return spot.found?.bytes.equals(after.bytes) === true ? [] : [writeOf(spot, after)]
}

function writeOf(spot: Awaited<ReturnType<typeof inspect>>, after: Write["after"]): Write {
  return {
    realPath: spot.realPath,
    before: spot.found,
    after,
    foldersToMake: spot.missingFolders,
    foldersToClear: [],
    folderMode: 0o700,
  }
}

async function planRepository(
  deps: KitDeps,
  own: EnrolledRepository | undefined,
  request: KitRequest | undefined,
) {
  const { root, stateDirectory } = deps.repository
  // Files of another worktree, which may be nested in this one, stay until the whole repository is
  // uninstalled.
  const isOurs = (it: FileRecord) =>
    it.within === root || it.within === path.dirname(stateDirectory)
  const isElsewhere = (_: string, it: FileRecord) => request !== undefined && !isOurs(it)
  const mark = await readMark(stateDirectory)
  const listed = { ...mark.record, ...own?.files }
  const [elsewhere, here] = splitFiles(listed, isElsewhere)
  const repository = { root, stateDirectory, configFile: deps.configFile }
  const files =
    request === undefined
      ? []
      : wantedForRepository(repository, {
          ...request,
          writesLevel: await needsLevel(deps, here, request.level),
          mark: mark.bytes ?? newMark(deps.clock.now()),
        })
  const steps = await reconcile(files, here, reconcileDeps(deps))
  return { steps, files: { ...elsewhere, ...recordsOf(steps) } }
}

async function needsLevel(deps: KitDeps, files: Files, level: number): Promise<boolean> {
  if (files[deps.configFile] !== undefined) return true
  const file = { path: deps.configFile, section: "kit", name: "level" }
  const spot = await inspectText({ path: deps.configFile, within: deps.repository.root })
  const text = spot.found?.bytes.toString().replace(/^\uFEFF/, "") ?? ""
  const setting = readSetting(file, text)
  return (setting ?? (await deps.level())) !== level
}

type WantedWiring = {
  readonly wiring: readonly HostLevel[]
  readonly plugins: ReadonlySet<KitHost>
  readonly isLeaving: boolean
  readonly statusLine: KitContext["statusLine"]
  readonly packs: PackChoice
}

async function planUser(deps: KitDeps, manifest: Manifest, desired: WantedWiring) {
  const { wiring, isLeaving } = desired
  const program = wiring.length > 0 ? await programFor(deps, manifest, isLeaving) : undefined
  const files = program === undefined ? [] : await wantedNow(deps, desired, program)
  const wantedPaths = new Set(files.map((it) => it.path))
  const strays = await findStrays(deps, { known: manifest.files, wanted: wantedPaths })
  const steps = await reconcile(files, { ...manifest.files, ...strays }, reconcileDeps(deps))
  return {
    steps,
    kept: {
      bundle: program?.bundle.hash ?? "",
      node: program?.node ?? "",
      main: program?.main ?? "",
      files: recordsOf(steps),
    },
  }
}

type Program = Pick<KitContext, "node" | "main" | "bundle" | "pluginCode">

/**
 * Uninstalling one repository changes nothing for the others, so they keep their current bundle.
 */
async function programFor(deps: KitDeps, manifest: Manifest, isLeaving: boolean): Promise<Program> {
  const { bundle: hash } = manifest
  const file = bundleFile(deps.home)
  const read = isLeaving ? await readBounded(file, { maxBytes: LARGEST_BUNDLE_BYTES }) : undefined
  if (read?.kind === "read" && digest(read.bytes) === hash) {
    const bundle = { bytes: read.bytes, hash }
    const pluginCode = await installedPluginCode(deps)
    return { node: manifest.node, main: manifest.main, bundle, pluginCode }
  }
  const made = await deps.bundle()
  if (digest(made.bytes) !== made.hash) throw BundleInvalid({})
  const bundle = { bytes: Buffer.from(made.bytes), hash: made.hash }
  const { node, main } = deps.runtime
  return { node, main, bundle, pluginCode: made.pluginCode }
}

/** Below the two lines that `hosts/opencode.ts` writes. */
async function installedPluginCode(deps: KitDeps): Promise<string> {
  const { path: file } = HOST_FORMS.opencode.settings(deps)
  const read = await readTextBounded(file, { maxBytes: LARGEST_BUNDLE_BYTES })
  if (read.kind !== "read") return (await deps.bundle()).pluginCode
  return read.text.split("\n").slice(2).join("\n").trimEnd()
}

async function wantedNow(
  deps: KitDeps,
  { wiring, plugins, statusLine, packs }: WantedWiring,
  program: Program,
): Promise<readonly WantedFile[]> {
  const templates = await readTemplates(deps.templates)
  const machine = { home: deps.home, machine: deps }
  const projectCommands = await listProjectCommands(deps)
  return wantedForUser(wiring, {
    ...machine,
    ...program,
    templates,
    plugins,
    statusLine,
    packs,
    projectCommands,
  })
}

/** Names below `.claude/commands/qm` of all enrolled repositories and this one. */
async function listProjectCommands({ repository, home }: KitDeps): Promise<ReadonlySet<string>> {
  const { repositories } = await readManifest(home)
  const names = new Set<string>()
  for (const root of new Set([repository.root, ...repositories.map((it) => it.root)])) {
    const listing = await listDirectory(path.join(root, ".claude", "commands", "qm"))
    const entries = listing.kind === "listed" ? listing.entries : []
    for (const { name } of entries) if (name.endsWith(".md")) names.add(name.slice(0, -3))
  }
  return names
}
