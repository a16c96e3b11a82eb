import path from "node:path"
import { statFile } from "#ground/base"
import type {
  CallContext,
  Handlers,
  KitDone,
  kitOperations,
  packsOperations,
} from "#ground/contract"
import type { Kit } from "./kit.ts"

type HandlerDeps = {
  kit(): Promise<Kit>
  /** The level of the settings, which a team shares by the project's file. */
  level(): Promise<number>
  /** Throws outside a git repository. */
  requireGit(): void
  environment(): Readonly<Record<string, string | undefined>>
  /** The file that the user links to be able to run `qm`. */
  readonly program: string
}

export const kitHandlers = (deps: HandlerDeps): Handlers<typeof kitOperations> => ({
  init: async ({ host, level, statusline, replaceStatusline, dryRun, yes }, context) => {
    deps.requireGit()
    const kit = await deps.kit()
    const installed = await kit.installed()
    const installedHosts = installed.level === null ? await kit.hostsFound() : installed.hosts
    const hosts = host ?? installedHosts
    const chosenLevel = level ?? (await deps.level())
    const added = statusline ? "add" : undefined
    const statusLine = replaceStatusline ? "replace" : added
    const plan = await kit.plan({ hosts, level: chosenLevel, statusLine }, context.signal)
    const statusFlags = { add: ["--statusline"], replace: ["--statusline --replace-statusline"] }
    const flags = [...flagsOf(host, level), ...(statusLine ? statusFlags[statusLine] : [])]
    const command = ["qm init", ...flags, "--yes"].join(" ")
    const done = await finish({ kit, plan, command }, { yes: yes && !dryRun }, context)
    return { ...done, next: [...done.next, ...(await pathAdvice(deps))] }
  },
  uninstall: async ({ dryRun, yes }, context) => {
    const kit = await deps.kit()
    const plan = await kit.planUninstall(context.signal)
    const command = "qm uninstall --yes"
    return finish({ kit, plan, command }, { yes: yes && !dryRun }, context)
  },
  level: async ({ level, measure }, context) => {
    const kit = await deps.kit()
    const done = level === undefined ? null : await setLevel(kit, level, context)
    const levels = await kit.levelTable({ measure, signal: context.signal })
    return { current: (await kit.installed()).level, levels: [...levels], done }
  },
})

export const packsHandlers = (deps: Pick<HandlerDeps, "kit">): Handlers<typeof packsOperations> => {
  async function change(
    action: "install" | "remove",
    packs: readonly string[],
    { signal }: CallContext,
  ): Promise<KitDone> {
    const kit = await deps.kit()
    return kit.apply(await kit.planPacks({ action, packs }, signal), signal)
  }
  return {
    list: async () => (await deps.kit()).packs(),
    install: ({ packs }, context) => change("install", packs, context),
    remove: ({ packs }, context) => change("remove", packs, context),
  }
}

/** The same plan, to be written. */
function flagsOf(hosts: readonly string[] | undefined, level: number | undefined) {
  return [
    ...(hosts ?? []).map((it) => `--host ${it}`),
    ...(level === undefined ? [] : [`--level ${level}`]),
  ]
}

/** Hooks use absolute paths; our commands and reminders call `qm`. */
async function pathAdvice({ environment, program }: HandlerDeps) {
  const folders = (environment()["PATH"] ?? "").split(path.delimiter).filter(path.isAbsolute)
  for (const folder of folders) {
    if ((await statFile(path.join(folder, "qm"))).kind === "found") return []
  }
  const link = `mkdir -p ~/.local/bin && ln -s '${program}' ~/.local/bin/qm`
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
  const chosenHosts = isEnrolled ? hosts : await kit.hostsFound()
  const plan = await kit.plan({ hosts: chosenHosts, level }, context.signal)
  const command = `qm init --level ${level} --yes`
  return finish({ kit, plan, command }, { yes: isEnrolled }, context)
}
