import path from "node:path"
import { createKit, type Kit, loadHookBundle } from "#act/kit"
import { RULES, readHookConfig } from "#choose/guard"
import { packageFile, statFile, thisMachine } from "#ground/base"
import type { CallContext, Handlers, KitDone, kitOperations } from "#ground/contract"
import { createClaims, createClassifier, createLedger } from "#know/ledger"
import { findGitProgram } from "#see/repo"
import { HomeUnknown, KitNeedsGit } from "../errors.ts"
import { platformHere } from "../places.ts"
import type { Services } from "../services.ts"

type KitDeps = Pick<
  Services,
  "places" | "environment" | "config" | "reload" | "tokens" | "clock" | "random" | "log"
>

export const kitHandlers = (deps: KitDeps): Handlers<typeof kitOperations> => ({
  init: async ({ host, level, statusline, replaceStatusline, dryRun, yes }, context) => {
    if (deps.places().repository.gitCommonDirectory === undefined) throw KitNeedsGit({})
    const kit = await kitOf(deps)
    const installed = await kit.installed()
    const installedHosts = installed.level === null ? await kit.hostsFound() : installed.hosts
    const hosts = host ?? installedHosts
    const wanted = level ?? (await levelInForce(deps))
    const added = statusline ? "add" : undefined
    const statusLine = replaceStatusline ? "replace" : added
    const plan = await kit.plan({ hosts, level: wanted, statusLine }, context.signal)
    const statusFlags = { add: ["--statusline"], replace: ["--statusline --replace-statusline"] }
    const flags = [...flagsOf(host, level), ...(statusLine ? statusFlags[statusLine] : [])]
    const command = ["qm init", ...flags, "--yes"].join(" ")
    const done = await finish({ kit, plan, command }, { yes: yes && !dryRun }, context)
    return { ...done, next: [...done.next, ...(await pathAdvice(deps.environment()))] }
  },
  uninstall: async ({ dryRun, yes }, context) => {
    const kit = await kitOf(deps)
    const plan = await kit.planUninstall(context.signal)
    const command = "qm uninstall --yes"
    return finish({ kit, plan, command }, { yes: yes && !dryRun }, context)
  },
  level: async ({ level, measure }, context) => {
    const kit = await kitOf(deps)
    const done = level === undefined ? null : await setLevel(kit, level, context)
    const levels = await kit.levelTable({ measure, signal: context.signal })
    return { current: (await kit.installed()).level, levels: [...levels], done }
  },
})

/** The same plan, to be written. */
function flagsOf(hosts: readonly string[] | undefined, level: number | undefined) {
  return [
    ...(hosts ?? []).map((it) => `--host ${it}`),
    ...(level === undefined ? [] : [`--level ${level}`]),
  ]
}

/** Hooks use absolute paths; our commands and reminders call `qm`. */
async function pathAdvice(environment: ReturnType<KitDeps["environment"]>) {
  const folders = (environment["PATH"] ?? "").split(path.delimiter).filter(path.isAbsolute)
  for (const folder of folders) {
    if ((await statFile(path.join(folder, "qm"))).kind === "found") return []
  }
  const link = `mkdir -p ~/.local/bin && ln -s '${packageFile("bin/qm")}' ~/.local/bin/qm`
  return [`Put qm on your PATH, because agents call it by that name: ${link}`]
}

type PlannedKit = {
  readonly kit: Kit
  readonly plan: Awaited<ReturnType<Kit["plan"]>>
  readonly command: string
}

async function finish(
  { kit, plan, command }: PlannedKit,
  { yes }: { readonly yes: boolean },
  { signal }: CallContext,
): Promise<KitDone> {
  if (yes) return kit.apply(plan, signal)
  const { level, changes, warnings } = plan
  const isIdle = changes.every((it) => it.action === "keep")
  const next = isIdle ? [] : [`Run \`${command}\` to write it.`]
  return { level, isApplied: false, changes: [...changes], warnings: [...warnings], next }
}

/**
 * Where nothing is installed, changing the level is an install, which is shown before it is
 * written.
 */
async function setLevel(kit: Kit, level: number, context: CallContext): Promise<KitDone> {
  const { level: current, hosts } = await kit.installed()
  const isEnrolled = current !== null
  const wanted = isEnrolled ? hosts : await kit.hostsFound()
  const plan = await kit.plan({ hosts: wanted, level }, context.signal)
  const command = `qm init --level ${level} --yes`
  return finish({ kit, plan, command }, { yes: isEnrolled }, context)
}

export async function kitOf(deps: KitDeps): Promise<Kit> {
  const { repository, home, projectConfig } = deps.places()
  const environment = deps.environment()
  const userHome = environment["HOME"] ?? environment["USERPROFILE"]
  if (!userHome || !path.isAbsolute(userHome)) throw HomeUnknown({})
  return createKit({
    repository,
    configFile: projectConfig,
    level: () => levelInForce(deps),
    home,
    userHome,
    environment,
    platform: platformHere(),
    runtime: {
      node: process.execPath,
      qm: packageFile("bin/qm"),
      main: packageFile("bin/qm.mjs"),
    },
    git: await findGitProgram({ environment, outside: repository.root }),
    bundle: () => loadHookBundle(packageFile("."), environment),
    templates: packageFile("templates"),
    bootText: (level) => bootText(level, deps),
    countTokens: async (text) => (await deps.tokens.counter()).count(text),
    clock: deps.clock,
    random: deps.random,
    log: deps.log,
  })
}

/** A team's level is in the project's file. */
async function levelInForce(deps: Pick<KitDeps, "reload" | "config">): Promise<number> {
  await deps.reload()
  return deps.config().kit.level
}

const BOOT_TIMEOUT_MS = 5_000

/** The text a session would get at its start; nothing is stored. */
async function bootText(level: number, deps: KitDeps): Promise<string> {
  const boot = RULES.find((it) => it.name === "boot")
  if (boot === undefined || level < boot.level) return ""
  const { repository, home, projectConfig, userConfig } = deps.places()
  const { root, gitDirectory, stateDirectory } = repository
  const environment = deps.environment()
  const files = { projectFile: projectConfig, userFile: userConfig, environment }
  const config = { ...(await readHookConfig(files)), level, mayFetch: false }
  const place = { stateDirectory, clock: deps.clock, random: deps.random }
  const verdict = await boot.judge(
    {
      host: "claude-code",
      session: "nobody",
      directory: path.resolve(root),
      at: deps.clock.now(),
      kind: "session-start",
      source: "startup",
    },
    {
      root,
      gitDirectory,
      stateDirectory,
      home,
      config,
      ledger: { ...createLedger(place), opened: async () => {} },
      claims: createClaims({ ...place, machine: thisMachine() }),
      classifier: createClassifier(),
      clock: deps.clock,
      random: deps.random,
      signal: AbortSignal.timeout(BOOT_TIMEOUT_MS),
      afterwards: () => {},
    },
  )
  return verdict.kind === "context" ? verdict.text : ""
}
