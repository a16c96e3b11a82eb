import path from "node:path"
import { type HookSource, type InstalledKit, PLUGIN_ID, type Proof, prove } from "#act/kit"
import {
  checkRiskPaths,
  LATE,
  MOST_VERDICTS_TRIED,
  RULES,
  readVerdicts,
  splitPatterns,
} from "#choose/guard"
import type { CallContext, DoctorCheck, HookState, KitHost, VerdictLine } from "#ground/contract"
import { loadHost, realDisk } from "#see/hosts"
import { listFiles } from "#see/repo"
import { createApp } from "../app.ts"
import { HomeUnknown } from "../errors.ts"
import { openIndexDaemon } from "../index-daemon/daemon.ts"
import { platformHere } from "../places.ts"
import { MOST_RISK_FILES } from "../rooms/guard.ts"
import { kitOf } from "../rooms/kit.ts"
import type { DoctorDeps, KitExam, KitFindings } from "./doctor.ts"

const FIRED_WITHIN_MS = 7 * 24 * 3_600_000
const LATE_WITHIN_MS = 24 * 3_600_000

/** Reports what is installed into hosts and which hooks have run; a proof starts the hosts. */
export async function examineInstalledKit(
  deps: DoctorDeps,
  options: KitExam,
  context: CallContext,
): Promise<KitFindings> {
  const kit = await kitOf(deps)
  const installed = await kit.installed()
  if (installed.level === null) {
    const checks = [...(options.prove ? NOT_INSTALLED.checks : []), ...notEnrolledChecks(installed)]
    return { checks, hooks: [] }
  }
  const checks = [
    stateCheck(installed),
    ...installed.sources.flatMap(sourceChecks),
    ...levelChecks(installed.level, deps.config().kit.level),
    ...(await riskChecks(deps, context)),
    ...(await packageChecks(deps)),
  ]
  if (!options.prove) return { checks, hooks: await withFired(installed.hooks, deps) }
  const proof = await proveKit(deps, { ...options, installed }, context)
  return { checks: [...checks, ...proof.checks], hooks: proof.hooks }
}

const NOT_INSTALLED: KitFindings = {
  checks: [
    {
      area: "kit",
      name: "kit",
      state: "warn",
      detail: "not installed for this repository; nothing to prove",
      hint: "Run `qm init` to see what it would write.",
    },
  ],
  hooks: [],
}

function stateCheck({ level, hosts, tampered }: InstalledKit): DoctorCheck {
  const [first] = tampered
  if (first === undefined) {
    const detail = `level ${level}, ${hosts.length === 0 ? "no host" : hosts.join(", ")}`
    return { area: "kit", name: "kit", state: "ok", detail }
  }
  const more = tampered.length === 1 ? "" : `, and ${tampered.length - 1} more`
  return {
    area: "kit",
    name: "kit",
    state: "warn",
    detail: `changed since it was installed: ${first}${more}`,
    hint: "Find out what changed it, then run `qm init --yes` to repair it.",
  }
}

/** Which of `qm init` and the plugin runs a host's hooks. */
function sourceChecks({ title, from }: HookSource): readonly DoctorCheck[] {
  const base = { area: "kit", name: `${title} hooks` } as const
  switch (from) {
    case "init":
      return [{ ...base, state: "ok", detail: "from `qm init`" }]
    case "plugin":
      return [{ ...base, state: "ok", detail: `from the plugin ${PLUGIN_ID}` }]
    case "both": {
      const detail = `from \`qm init\`; the plugin ${PLUGIN_ID} is enabled too, and its hooks are silent`
      const hint =
        "Run `qm init --yes` to remove the hooks of `qm init` and use those of the plugin."
      return [{ ...base, state: "warn", detail, hint }]
    }
    case "none":
      return []
  }
  return from satisfies never
}

/** The plugin alone does nothing in a repository: `qm init` enrols it. */
function notEnrolledChecks({ sources }: InstalledKit): readonly DoctorCheck[] {
  return sources.map(({ title }) => ({
    area: "kit",
    name: `${title} hooks`,
    state: "warn",
    detail: `the plugin ${PLUGIN_ID} is enabled, but this repository is not enrolled`,
    hint: "Run `qm init` to see what enrolling writes.",
  }))
}

/** The project's file may name another level than the one installed here. */
function levelChecks(wired: number, level: number): readonly DoctorCheck[] {
  if (wired === level) return []
  const detail = `level ${wired} is installed, the settings say ${level}`
  const hint = `Run \`qm level ${level}\` to install that level.`
  return [{ area: "kit", name: "level", state: "warn", detail, hint }]
}

/** A risk pattern that matches no file protects nothing. */
async function riskChecks(
  deps: DoctorDeps,
  { signal }: CallContext,
): Promise<readonly DoctorCheck[]> {
  const patterns = splitPatterns(deps.config().guard.highRiskPaths)
  if (patterns.length === 0) return []
  const { files } = await listFiles(deps.places().repository.root, {
    maxFiles: MOST_RISK_FILES,
    signal,
  })
  return checkRiskPaths(patterns, files).flatMap((finding): readonly DoctorCheck[] => {
    if (finding.kind === "fits") return []
    const detail =
      finding.kind === "idle"
        ? `${finding.pattern} matches no file here`
        : `${finding.pattern} is invalid: ${finding.why}`
    const hint =
      'Change guard.highRiskPaths. `qm guard try "src/**"` shows which edits a pattern matches.'
    return [{ area: "kit", name: "risk path", state: "warn", detail, hint }]
  })
}

/** A sub-agent that started without its package works as if there were none, so someone must see it. */
async function packageChecks(deps: DoctorDeps): Promise<readonly DoctorCheck[]> {
  const now = deps.clock.now()
  const { verdicts } = await readVerdicts({
    stateDirectory: deps.places().repository.stateDirectory,
    now,
    sinceMs: now - LATE_WITHIN_MS,
    limit: MOST_VERDICTS_TRIED,
    rule: "package",
  })
  const late = verdicts.filter((it) => it.verdict === "silent" && it.text.startsWith(LATE)).length
  if (late === 0) return []
  const delivered = verdicts.filter((it) => it.verdict === "context").length
  const detail = `${late} of ${late + delivered} packages of the last day were late: the index daemon did not answer`
  const hint =
    "Run `qm keep` in a terminal to see whether the index daemon starts, and `qm guard --rule package` for details."
  return [{ area: "kit", name: "packages", state: "warn", detail, hint }]
}

/** A hook has fired if the verdict log has an event of that host which it judges. */
async function withFired(
  hooks: readonly HookState[],
  deps: DoctorDeps,
): Promise<readonly HookState[]> {
  const now = deps.clock.now()
  const { verdicts } = await readVerdicts({
    stateDirectory: deps.places().repository.stateDirectory,
    now,
    sinceMs: now - FIRED_WITHIN_MS,
    limit: MOST_VERDICTS_TRIED,
  })
  return hooks.map((hook) => {
    const at = hook.state === "installed" ? lastFired(hook, verdicts) : undefined
    return at === undefined ? hook : { ...hook, state: "fired", at, why: null }
  })
}

function lastFired(hook: HookState, verdicts: readonly VerdictLine[]): number | undefined {
  const judged: readonly string[] = RULES.find((it) => it.name === hook.hook)?.kinds ?? []
  // A package is prepared first and delivered at `agent-start`, the event it is logged under.
  const kinds = hook.hook === "package" ? ["agent-start"] : judged
  return verdicts.find((it) => it.host === hook.host && kinds.includes(it.event))?.at
}

type ProofRequest = { readonly trustHooks: boolean; readonly installed: InstalledKit }

/** Starts the hosts that have our hooks on a scripted model and reports which hooks ran. */
async function proveKit(
  deps: DoctorDeps,
  { trustHooks, installed }: ProofRequest,
  { signal, onProgress }: CallContext,
): Promise<Proof> {
  const environment = deps.environment()
  const userHome = environment["HOME"] ?? environment["USERPROFILE"]
  if (!userHome || !path.isAbsolute(userHome)) throw HomeUnknown({})
  const { home, repository } = deps.places()
  const machine = { userHome, environment }
  const place = {
    workingDirectory: repository.root,
    home: userHome,
    environment,
    platform: platformHere(),
  }
  let done = 0
  return prove(
    {
      installed: installed.hooks,
      trustHooks,
      signal,
      onProgress: (what) => onProgress?.({ what, done: done++, total: installed.hosts.length }),
    },
    {
      machine,
      clock: deps.clock,
      random: deps.random,
      async findProgram(host: KitHost) {
        return (await (await loadHost(host)).findInstalled(place, realDisk()))?.program
      },
      keep: (root) => startDaemonFor(root, { home, environment, clock: deps.clock, signal }),
    },
  )
}

type DaemonOptions = Pick<DoctorDeps, "clock"> & {
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** An index daemon in this process for the repository of the proof, warm before the host starts. */
async function startDaemonFor(root: string, options: DaemonOptions): Promise<AsyncDisposable> {
  const { home, environment, clock, signal } = options
  const app = await createApp({
    directory: root,
    environment: { ...environment, QM_HOME: home },
    settings: [],
    writeLog: () => {},
  })
  try {
    await app.call("map.scan", {}, { signal })
    const daemon = await openIndexDaemon({ app, clock })
    return {
      async [Symbol.asyncDispose]() {
        await daemon?.close()
        await app[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await app[Symbol.asyncDispose]()
    throw error
  }
}
