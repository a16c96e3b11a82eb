import {
  formatBytes,
  freeBytes,
  isAppError,
  pickEnvironment,
  plural,
  run,
  statFile,
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
import type { Store } from "#ground/store"
import type { LoadedConfig } from "../config/layers.ts"
import {
  GIT_VERSION_TIMEOUT_MS,
  LONGEST_EXAM_MS,
  LOW_DISK_BYTES,
  OLDEST_NODE_MAJOR,
} from "../limits.ts"
import { hostPlace, type Places } from "../places.ts"
import { versions } from "../versions.ts"

type Environment = Readonly<Record<string, string | undefined>>
export type DoctorDeps = {
  places(): Places
  environment(): Environment
  /** A path as the person gave it, made absolute. */
  resolve(path: string): string
  loaded(): LoadedConfig
  reload(): Promise<void>
  store(): Promise<Store>
  /** Tries to break into the running server; the surface that serves hands it in. */
  attack(): Promise<readonly DoctorCheck[]>
  /** What is installed into hosts, and with `prove` what really runs. */
  kit(options: KitExam, context: CallContext): Promise<KitFindings>
}

export type KitExam = { readonly prove: boolean; readonly trustHooks: boolean }
export type KitFindings = {
  readonly checks: readonly DoctorCheck[]
  readonly hooks: readonly HookState[]
}

export const doctorHandlers = (deps: DoctorDeps): Handlers<typeof doctorOperations> => ({
  run: (options, context) => examine(deps, options, context),
})

type Exam = KitExam & { readonly attack: boolean }
const USUAL_EXAM: Exam = { attack: false, prove: false, trustHooks: false }

/** Look at everything; what fails is a line of the report, never an end of it. */
export async function examine(
  deps: DoctorDeps,
  options: Exam = USUAL_EXAM,
  context: CallContext = { signal: AbortSignal.timeout(LONGEST_EXAM_MS) },
): Promise<DoctorReport> {
  const places = deps.places()
  await deps.reload()
  const kit = await examineKit(deps, options, context)
  const checks: DoctorCheck[] = [
    checkRuntime(),
    await checkGit(deps.environment()),
    checkRepository(places),
    ...checkConfig(deps.loaded()),
    ...(await checkBaseUrls(deps)),
    ...(await checkStore(deps)),
    await checkDisk(places),
    await checkPrivacy("user folder", places.home, 0o700),
    await checkPrivacy("state folder", places.repository.stateDirectory, 0o700),
    await checkPrivacy("database file", places.database, 0o600),
    ...(options.attack ? await deps.attack() : []),
    ...kit.checks,
  ]
  return { checks, hooks: [...kit.hooks], isHealthy: checks.every((it) => it.state !== "fail") }
}

async function examineKit(
  deps: DoctorDeps,
  options: KitExam,
  context: CallContext,
): Promise<KitFindings> {
  try {
    return await deps.kit(options, context)
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

function warn(area: Area, name: string, says: { detail: string; hint: string }): DoctorCheck {
  return { area, name, state: "warn", ...says }
}

function fail(area: Area, name: string, says: { detail: string; hint: string }): DoctorCheck {
  return { area, name, state: "fail", ...says }
}

function checkRuntime(): DoctorCheck {
  const { qm, node, sqlite, platform } = versions()
  const detail = `qm ${qm} on node ${node}, sqlite ${sqlite}, ${platform}`
  if (Number.parseInt(node, 10) >= OLDEST_NODE_MAJOR) return ok("environment", "runtime", detail)
  const hint = "Run `npm ci` in the clone: it brings the runtime along."
  return fail("environment", "runtime", { detail, hint })
}

async function checkGit(environment: Environment): Promise<DoctorCheck> {
  const outcome = await run("git", ["--version"], {
    cwd: "/",
    env: pickEnvironment(environment, ["PATH"]),
    timeoutMs: GIT_VERSION_TIMEOUT_MS,
    maxOutputBytes: 1_000,
  })
  if (outcome.kind === "exited" && outcome.code === 0) {
    return ok("environment", "git", visibleLine(outcome.stdout.toString().trim()))
  }
  const hint = "Install git: the map and the history of changes will need it."
  return warn("environment", "git", { detail: "no git on the PATH", hint })
}

function checkRepository(places: Places): DoctorCheck {
  const { root, gitCommonDirectory } = places.repository
  if (gitCommonDirectory !== undefined) return ok("environment", "repository", root)
  const detail = `${root} is not in a git repository`
  const hint = "Run qm inside a repository, or go on: the state then lies in .qm/local."
  return warn("environment", "repository", { detail, hint })
}

function checkConfig(loaded: LoadedConfig): DoctorCheck[] {
  if (loaded.problems.length > 0) {
    const hint = "Mend it, then run `qm config check`."
    return loaded.problems.map((it) =>
      fail("config", "settings", { detail: `${it.place}: ${it.message}`, hint }),
    )
  }
  const found = loaded.files.filter((it) => it.found).length
  const set = loaded.settings.filter((it) => it.origin.kind !== "default").length
  const detail = `${plural(set, "setting")} changed from the defaults, ${plural(found, "file")} read`
  return [ok("config", "settings", detail)]
}

async function checkStore(deps: DoctorDeps): Promise<DoctorCheck[]> {
  try {
    const store = await deps.store()
    const status = await store.status()
    const damage = await store.findDamage()
    if (status.stopped !== undefined || damage !== undefined) {
      const hint = "Look at the disk, then run `qm store check`; `qm store restore` goes back."
      return [fail("store", "store", { detail: status.stopped ?? `damaged: ${damage}`, hint })]
    }
    const detail = `${status.dialect}, schema ${status.schemaVersion}, ${plural(status.events, "event")}, ${formatBytes(status.sizeBytes)}`
    const kept = status.corruptFiles.map((file) =>
      warn("store", "damaged store", {
        detail: `kept aside as ${file}`,
        hint: "Restore a backup with `qm store restore`, or move the file away once it is not needed.",
      }),
    )
    return [ok("store", "store", detail), ...kept]
  } catch (error) {
    if (!isAppError(error)) throw error
    return [
      fail("store", "store", { detail: `${error.message} [${error.code}]`, hint: error.hint }),
    ]
  }
}

async function checkDisk(places: Places): Promise<DoctorCheck> {
  const { stateDirectory, root } = places.repository
  const free = (await freeBytes(stateDirectory)) ?? (await freeBytes(root))
  if (free === undefined) return ok("store", "disk", "this system does not say how much is free")
  const detail = `${formatBytes(free)} free`
  if (free >= LOW_DISK_BYTES) return ok("store", "disk", detail)
  const hint = "Free some space: writes are refused as a whole when the disk is full."
  return warn("store", "disk", { detail, hint })
}

async function checkPrivacy(name: string, path: string, mode: number): Promise<DoctorCheck> {
  const found = await statFile(path)
  if (found.kind === "missing") return ok("permissions", name, "not there yet, made when needed")
  if (found.kind === "unreadable") {
    const hint = "Make it readable for your user."
    return fail("permissions", name, { detail: `${path}: ${found.reason}`, hint })
  }
  const actual = found.stat.mode.toString(8).padStart(4, "0")
  const isOpen = (found.stat.mode & 0o077) !== 0 && process.platform !== "win32"
  if (!isOpen) return ok("permissions", name, `${actual} ${path}`)
  const hint = `Run: chmod ${mode.toString(8)} '${path}'`
  return warn("permissions", name, { detail: `${actual} ${path}, others can read it`, hint })
}

const AGENT_TITLES = { "claude-code": "Claude Code", codex: "Codex", gemini: "Gemini CLI" } as const

/** What files of the repository would send elsewhere; those of the person are their own affair. */
export async function checkBaseUrls(
  deps: Pick<DoctorDeps, "environment" | "places" | "resolve">,
): Promise<readonly DoctorCheck[]> {
  const { findRepositoryBaseUrls } = await import("#see/hosts")
  const { root } = deps.places().repository
  const urls = await findRepositoryBaseUrls(deps.resolve("."), root, (it) => hostPlace(deps, it))
  return urls.map(({ agent, file, key, host, isLoopback }) => {
    const detail = visibleLine(`${file} sends ${AGENT_TITLES[agent]} to ${host} by ${key}`)
    if (isLoopback) return ok("config", "base URL", `${detail}, which is this machine`)
    const hint =
      "Your key and every prompt go there. Remove the line, or start no agent here unless you know that address."
    return warn("config", "base URL", { detail, hint })
  })
}
