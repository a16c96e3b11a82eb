import path from "node:path"
import {
  findWriteBarrier,
  formatBytes,
  freeBytes,
  isAppError,
  pickEnvironment,
  plural,
  run,
  statFile,
  statNow,
  versions,
  visibleLine,
} from "#ground/base"
import type {
  CallContext,
  DoctorCheck,
  DoctorReport,
  doctorOperations,
  Handlers,
  HookState,
} from "#ground/contract"
import type { LoadedConfig } from "../config/layers.ts"
import { hostPlace, type RepositoryPaths } from "../places.ts"
import type { Services } from "../services.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Warns below this: space for a few days of work. */
const LOW_DISK_BYTES = 200_000_000

/** Type stripping without flags, and a SQLite that is safe with several processes. */
const OLDEST_NODE_MAJOR = 24

const GIT_VERSION_TIMEOUT_MS = 5_000

/** For an exam that no caller can cancel; without proofs it takes at most a second. */
const LONGEST_EXAM_MS = 60_000

export type DoctorDeps = Pick<
  Services,
  | "attack"
  | "clock"
  | "config"
  | "environment"
  | "loaded"
  | "log"
  | "people"
  | "places"
  | "random"
  | "reload"
  | "resolve"
  | "store"
  | "tokens"
>

export type KitExam = { readonly prove: boolean; readonly trustHooks: boolean }
export type KitFindings = {
  readonly checks: readonly DoctorCheck[]
  readonly hooks: readonly HookState[]
}

export const doctorHandlers = (deps: DoctorDeps): Handlers<typeof doctorOperations> => ({
  run: (options, context) => examine(deps, { ...options, isWhole: true }, context),
})

/**
 * `isWhole`: whether to look at everything. Without it nothing is started, our plugin is not searched
 * where the repository is not enrolled, and the pages of the store are not read, which blocks a
 * server for as long as they are many.
 */
type DoctorExam = KitExam & { readonly attack: boolean; readonly isWhole: boolean }
const USUAL_EXAM: DoctorExam = { attack: false, prove: false, trustHooks: false, isWhole: false }

/** A failing check is a line of the report and never aborts it. */
export async function examine(
  deps: DoctorDeps,
  options: DoctorExam = USUAL_EXAM,
  context: CallContext = { signal: AbortSignal.timeout(LONGEST_EXAM_MS) },
): Promise<DoctorReport> {
  const places = deps.places()
  await deps.reload()
  // All at once: on a busy server each wait for a file takes its turn behind other work.
  const [kit, git, baseUrls, hosts, store, disk, privacy, writable, attack] = await Promise.all([
    examineKit(deps, options, context),
    checkGit(deps.environment(), options),
    checkBaseUrls(deps),
    options.isWhole ? checkHosts(deps) : [],
    checkStore(deps, options),
    checkDisk(places),
    checkPrivacies(places),
    checkWritable(deps),
    options.attack ? deps.attack() : [],
  ])
  const checks: DoctorCheck[] = [
    checkRuntime(),
    git,
    checkRepository(places),
    ...checkConfig(deps.loaded()),
    ...baseUrls,
    ...hosts,
    ...store,
    disk,
    ...privacy,
    ...writable,
    ...attack,
    ...kit.checks,
  ]
  return { checks, hooks: [...kit.hooks], isHealthy: checks.every((it) => it.state !== "fail") }
}

async function examineKit(
  deps: DoctorDeps,
  options: DoctorExam,
  context: CallContext,
): Promise<KitFindings> {
  try {
    const enrolment = path.join(deps.places().repository.stateDirectory, "kit.json")
    const isExamined = options.prove || options.isWhole
    const isIdle = !isExamined && (await statFile(enrolment)).kind !== "found"
    if (isIdle) return { checks: [], hooks: [] }
    // Loaded only if something is installed or examined: most commands need no host code.
    return await (await import("./kit-exam.ts")).examineInstalledKit(deps, options, context)
  } catch (error) {
    if (!isAppError(error)) throw error
    const detail = `${error.message} [${error.code}]`
    return { checks: [fail("kit", "kit", { detail, hint: error.hint })], hooks: [] }
  }
}

type Area = DoctorCheck["area"]

function ok(area: Area, name: string, detail: string): DoctorCheck {
  return { area, name, state: "ok", detail }
}

function warn(area: Area, name: string, texts: { detail: string; hint: string }): DoctorCheck {
  return { area, name, state: "warn", ...texts }
}

function fail(area: Area, name: string, texts: { detail: string; hint: string }): DoctorCheck {
  return { area, name, state: "fail", ...texts }
}

function checkRuntime(): DoctorCheck {
  const { qm, node, sqlite, platform } = versions()
  const detail = `qm ${qm} on node ${node}, sqlite ${sqlite}, ${platform}`
  if (Number.parseInt(node, 10) >= OLDEST_NODE_MAJOR) return ok("environment", "runtime", detail)
  const hint = "Run `npm ci` in the clone: it installs the pinned runtime."
  return fail("environment", "runtime", { detail, hint })
}

async function checkGit(
  environment: Environment,
  { isWhole }: Pick<DoctorExam, "isWhole">,
): Promise<DoctorCheck> {
  if (!isWhole && isOnPath("git", environment["PATH"])) return ok("environment", "git", "")
  const outcome = await run("git", ["--version"], {
    cwd: "/",
    env: pickEnvironment(environment, ["PATH"]),
    timeoutMs: GIT_VERSION_TIMEOUT_MS,
    maxOutputBytes: 1_000,
  })
  if (outcome.kind === "exited" && outcome.code === 0) {
    return ok("environment", "git", visibleLine(outcome.stdout.toString().trim()))
  }
  const hint = "Install git: the map and the history of changes need it."
  return warn("environment", "git", { detail: "git is not on the PATH", hint })
}

/** Enough for a summary; starting it would take as long as the whole summary. */
function isOnPath(program: string, folders = ""): boolean {
  const absolute = folders.split(path.delimiter).filter((it) => path.isAbsolute(it))
  return absolute.some((folder) => statNow(path.join(folder, program)) !== undefined)
}

function checkRepository(places: RepositoryPaths): DoctorCheck {
  const { root, gitCommonDirectory } = places.repository
  if (gitCommonDirectory !== undefined) return ok("environment", "repository", root)
  const detail = `${root} is not in a git repository`
  const hint = "Run qm inside a repository. Without one, qm stores its state in .qm/local."
  return warn("environment", "repository", { detail, hint })
}

function checkConfig(loaded: LoadedConfig): DoctorCheck[] {
  if (loaded.problems.length > 0) {
    const hint = "Correct the file, then run `qm config check`."
    return loaded.problems.map((it) =>
      fail("config", "settings", { detail: `${it.place}: ${it.message}`, hint }),
    )
  }
  const readCount = loaded.files.filter((it) => it.found).length
  const detail = `${plural(loaded.changedCount, "setting")} changed from the defaults, ${plural(readCount, "file")} read`
  return [ok("config", "settings", detail)]
}

/** One line for each installed host; sign-in and connection are choices, so nothing fails. */
async function checkHosts(deps: DoctorDeps): Promise<DoctorCheck[]> {
  const { listHosts } = await import("../hosts.ts")
  const installed = (await listHosts(deps)).filter((it) => it.isInstalled)
  if (installed.length === 0) {
    const detail = "no agent host was found on the PATH"
    return [warn("hosts", "hosts", { detail, hint: "Install Claude Code or Codex to run agents." })]
  }
  return installed.map(({ title, version, login, loginFrom, hooks }) => {
    const parts = [
      version ?? "version unknown",
      login === "found" ? `signed in by ${loginFrom}` : LOGIN[login],
      hooks === "none" ? "not connected" : HOOKS[hooks],
    ]
    const detail = parts.filter((it) => it !== "").join(", ")
    const line = ok("hosts", title, detail)
    return hooks === "none"
      ? { ...line, hint: "Run `qm init --dry-run` to see what connecting writes." }
      : line
  })
}

const LOGIN = { missing: "no sign-in found", unknown: "sign-in unknown" } as const
const HOOKS = {
  init: "connected by `qm init`",
  plugin: "connected by the plugin",
  both: "connected by `qm init` and the plugin",
  "not offered": "",
} as const

async function checkStore(
  deps: DoctorDeps,
  { isWhole }: Pick<DoctorExam, "isWhole">,
): Promise<DoctorCheck[]> {
  try {
    const store = await deps.store()
    const status = await store.status()
    const damage = isWhole ? await store.findDamage() : undefined
    if (status.stopped !== undefined || damage !== undefined) {
      const hint =
        "Check the disk, then run `qm store check`. `qm store restore` restores a backup."
      return [fail("store", "store", { detail: status.stopped ?? `damaged: ${damage}`, hint })]
    }
    const detail = `${status.dialect}, schema ${status.schemaVersion}, ${plural(status.events, "event")}, ${formatBytes(status.sizeBytes)}`
    const damaged = status.corruptFiles.map((file) =>
      warn("store", "damaged store", {
        detail: `moved to ${file}`,
        hint: "Run `qm store restore` to restore a backup, or delete the file if you do not need it.",
      }),
    )
    const audit = isWhole ? await checkAuditLog(deps) : []
    return [ok("store", "store", detail), ...damaged, ...audit]
  } catch (error) {
    if (!isAppError(error)) throw error
    return [
      fail("store", "store", { detail: `${error.message} [${error.code}]`, hint: error.hint }),
    ]
  }
}

/** No line without entries: a store of one user has none. */
async function checkAuditLog({ people }: Pick<DoctorDeps, "people">): Promise<DoctorCheck[]> {
  const room = await people()
  const { head } = await room.log({ operation: "", limit: 1 })
  const damage = await room.findDamage()
  if (damage !== undefined) {
    const hint = "Somebody changed the database by hand. Compare it with a backup."
    return [fail("store", "audit log", { detail: damage, hint })]
  }
  if (head.seq === 0) return []
  return [ok("store", "audit log", `${plural(head.seq, "entry", "entries")}, unchanged`)]
}

async function checkDisk(places: RepositoryPaths): Promise<DoctorCheck> {
  const { stateDirectory, root } = places.repository
  const free = (await freeBytes(stateDirectory)) ?? (await freeBytes(root))
  if (free === undefined) return ok("store", "disk", "this system does not report free space")
  const detail = `${formatBytes(free)} free`
  if (free >= LOW_DISK_BYTES) return ok("store", "disk", detail)
  const hint = "Free some disk space: a full disk refuses every write."
  return warn("store", "disk", { detail, hint })
}

const checkPrivacies = ({ home, repository, database }: RepositoryPaths) =>
  Promise.all([
    checkPrivacy("user folder", home, 0o700),
    checkPrivacy("state folder", repository.stateDirectory, 0o700),
    checkPrivacy("database file", database, 0o600),
  ])

async function checkPrivacy(name: string, file: string, mode: number): Promise<DoctorCheck> {
  const status = await statFile(file)
  if (status.kind === "missing")
    return ok("permissions", name, "does not exist yet; created when needed")
  if (status.kind === "unreadable") {
    const hint = "Make it readable for your user."
    return fail("permissions", name, { detail: `${file}: ${status.reason}`, hint })
  }
  const actual = status.stat.mode.toString(8).padStart(4, "0")
  const isOpen = (status.stat.mode & 0o077) !== 0 && process.platform !== "win32"
  if (!isOpen) return ok("permissions", name, `${actual} ${file}`)
  const hint = `Run: chmod ${mode.toString(8)} '${file}'`
  return warn("permissions", name, { detail: `${actual} ${file}: other users can read it`, hint })
}

/** Read-only folders of a sandbox: commands that read work, and nothing can be stored. */
async function checkWritable(deps: DoctorDeps): Promise<DoctorCheck[]> {
  const { repository, home } = deps.places()
  const checks: DoctorCheck[] = []
  const user = await findWriteBarrier(home)
  if (user !== undefined) {
    const detail = `${user.path} cannot be written (${user.reason})`
    const hint = "Give this user write permission, or set QM_HOME to a folder that can be written."
    checks.push(warn("permissions", "user folder", { detail, hint }))
  }
  const state = await findWriteBarrier(repository.stateDirectory)
  if (state !== undefined && deps.loaded().config.store.databaseUrl === "") {
    const detail = `${state.path} cannot be written (${state.reason}): commands that read work, nothing is stored`
    const hint = "Give this user write permission for the folder, or mount it writable."
    checks.push(fail("permissions", "state folder", { detail, hint }))
  }
  return checks
}

const AGENT_TITLES = { "claude-code": "Claude Code", codex: "Codex", gemini: "Gemini CLI" } as const

/** Only files of the repository; the user's own files may redirect. */
export async function checkBaseUrls(
  deps: Pick<DoctorDeps, "environment" | "places" | "resolve">,
): Promise<readonly DoctorCheck[]> {
  const { findRepositoryBaseUrls } = await import("#see/hosts")
  const { root } = deps.places().repository
  const urls = await findRepositoryBaseUrls(deps.resolve("."), root, (it) => hostPlace(deps, it))
  return urls.map(({ agent, file, key, host, isLoopback }) => {
    const detail = visibleLine(`${file} redirects ${AGENT_TITLES[agent]} to ${host} (${key})`)
    if (isLoopback) return ok("config", "base URL", `${detail}, which is this machine`)
    const hint =
      "Your key and every prompt would go there. Remove the line, or run no agent here unless you know that address."
    return warn("config", "base URL", { detail, hint })
  })
}
