import path from "node:path"
import { isInside, isRecord } from "#ground/base"
import type { KitHost } from "#ground/contract"
import { markAt } from "./enrolment.ts"
import {
  type KitHostForm,
  leadsInto,
  type Machine,
  shellCommand,
  type Template,
} from "./hosts/host.ts"
import { HOST_FORMS } from "./hosts/hosts.ts"
import { bootLines } from "./texts/boot.ts"
import { type HookFile, hookEditor } from "./texts/hook-entries.ts"
import { fieldEditor, settingEditor } from "./texts/json-text.ts"
import { allOf, blockEditor, type Editor } from "./texts/text.ts"

type Base = {
  readonly path: string
  readonly within: string
  readonly host: KitHost | null
  readonly what: string
  readonly isPrivate: boolean
}

export type SharedFile = Base & { readonly kind: "shared"; readonly editor: Editor }

export type OwnedFile = Base & {
  readonly kind: "owned"
  readonly bytes: Buffer
  readonly mode: number
  /** Never edited by hand: different content is replaced instead of kept. */
  readonly isSealed: boolean
}

export type WantedFile = SharedFile | OwnedFile

export type HostLevel = { readonly host: KitHost; readonly level: number }

export type KitContext = {
  readonly home: string
  readonly machine: Machine
  readonly node: string
  /** Entry point of qm, for work that a hook delegates. */
  readonly main: string
  readonly bundle: { readonly bytes: Buffer; readonly hash: string }
  /** The plugin of opencode, built beside the bundle. */
  readonly pluginCode: string
  readonly templates: readonly Template[]
  readonly packs: PackChoice
  /** Commands that an enrolled repository has under our name: Claude Code would prefer ours. */
  readonly projectCommands: ReadonlySet<string>
  /** Hosts whose hooks, commands and skills come from our plugin. */
  readonly plugins: ReadonlySet<KitHost>
  /** Undefined without a request for a status line. */
  readonly statusLine: { readonly mayReplace: boolean } | undefined
}

/** Packs that the user added to a level, or removed from it. */
export type PackChoice = { readonly added: readonly string[]; readonly removed: readonly string[] }

export function isChosen(
  { level, pack }: Pick<Template, "level" | "pack">,
  installedLevel: number,
  { added, removed }: PackChoice,
): boolean {
  return added.includes(pack) || (level <= installedLevel && !removed.includes(pack))
}

function isReplaced(
  { kind, name }: Template,
  host: KitHost,
  projectCommands: ReadonlySet<string>,
): boolean {
  return host === "claude-code" && kind === "command" && projectCommands.has(name)
}

export function kitFolder(home: string): string {
  return path.join(home, "kit")
}

/** The path never changes, because Codex asks for a new review whenever a command changes. */
export function bundleFile(home: string): string {
  return path.join(kitFolder(home), "qm-hook.mjs")
}

/**
 * The highest level of all repositories decides; a hook checks the level of its own repository when
 * it runs.
 */
export function wiringOf(
  repositories: readonly { readonly level: number; readonly hosts: readonly KitHost[] }[],
): readonly HostLevel[] {
  const hosts = [...new Set(repositories.flatMap((it) => it.hosts))].toSorted()
  return hosts.map((host) => {
    const levels = repositories.filter((it) => it.hosts.includes(host)).map((it) => it.level)
    return { host, level: Math.max(...levels) }
  })
}

export function wantedForUser(
  wiring: readonly HostLevel[],
  context: KitContext,
): readonly WantedFile[] {
  if (wiring.length === 0) return []
  return [
    wantedBundle(context),
    wantedRuntime(context),
    wantedPaths(context),
    ...wiring.flatMap((it) =>
      context.plugins.has(it.host)
        ? wantedSettings(HOST_FORMS[it.host], [], context)
        : wantedForHost(it, context),
    ),
  ]
}

function wantedBundle({ home, bundle }: KitContext): WantedFile {
  return {
    kind: "owned",
    path: bundleFile(home),
    within: home,
    host: null,
    what: "the hook bundle, one file without dependencies",
    isPrivate: true,
    bytes: bundle.bytes,
    mode: 0o500,
    isSealed: true,
  }
}

/** Hooks find the rest of the product through this file. */
function wantedRuntime({ home, main }: KitContext): WantedFile {
  return {
    kind: "owned",
    path: path.join(kitFolder(home), "runtime.json"),
    within: home,
    host: null,
    what: "the location of the qm program",
    isPrivate: true,
    bytes: Buffer.from(`${JSON.stringify({ qm: main })}\n`),
    mode: 0o600,
    isSealed: true,
  }
}

/** The scripts of our plugin read it line by line: the Node binary, then the entry point of qm. */
function wantedPaths({ home, node, main }: KitContext): WantedFile {
  return {
    kind: "owned",
    path: path.join(kitFolder(home), "paths"),
    within: home,
    host: null,
    what: "the location of node and qm, for the plugin",
    isPrivate: true,
    bytes: Buffer.from(`${node}\n${main}\n`),
    mode: 0o600,
    isSealed: true,
  }
}

function wantedForHost({ host, level }: HostLevel, context: KitContext): readonly WantedFile[] {
  const form = HOST_FORMS[host]
  const base = { within: anchorOf(form, context.machine), host, isPrivate: true } as const
  const file = hookFileOf(form, level, context)
  const projected = context.templates
    .filter((it) => isChosen(it, level, context.packs) && it.hosts.includes(host))
    .filter((it) => !isReplaced(it, host, context.projectCommands))
    .map((template): WantedFile => {
      const { userHome, environment } = context.machine
      const { node, main } = context
      const made = form.project(template, { userHome, environment, node, main })
      return {
        ...base,
        // Codex stores user skills beside its own folder, not in it.
        within: anchorFor(made.path, base.within, context.machine),
        kind: "owned",
        path: made.path,
        what: `the ${template.kind} ${template.name}`,
        bytes: Buffer.from(made.text),
        mode: 0o644,
        isSealed: false,
      }
    })
  const hooks = file.entries.length === 0 ? [] : [file]
  return [
    ...wantedSettings(form, hooks, context),
    ...wantedServer(form, base, context),
    ...wantedPlugin(form, base, context),
    ...projected,
  ]
}

/** One file with up to two parts of ours: hooks, and the status line. */
function wantedSettings(
  form: KitHostForm,
  hooks: readonly HookFile[],
  context: KitContext,
): readonly WantedFile[] {
  const { path: file } = form.settings(context.machine)
  const hasStatusLine = form.hasStatusLine === true && context.statusLine !== undefined
  const parts = [
    ...hooks.map((hook) => {
      const events = [...new Set(hook.entries.map((entry) => entry.event))].join(", ")
      return { what: `hooks on ${events}`, editor: hookEditor(hook) }
    }),
    ...(hasStatusLine
      ? [{ what: "the status line", editor: statusLineEditor(file, context) }]
      : []),
  ]
  if (parts.length === 0) return []
  return [
    {
      kind: "shared",
      path: file,
      within: anchorOf(form, context.machine),
      host: form.host,
      isPrivate: true,
      what: parts.map((it) => it.what).join(", "),
      editor: allOf(parts.map((it) => it.editor)),
    },
  ]
}

function statusLineEditor(
  file: string,
  { home, node, statusLine }: Pick<KitContext, "home" | "node" | "statusLine">,
): Editor {
  return fieldEditor({
    path: file,
    name: STATUS_LINE_FIELD,
    value: {
      type: "command",
      command: shellCommand([node, bundleFile(home), "statusline"]),
      refreshInterval: STATUS_LINE_SECONDS,
    },
    mayReplace: statusLine?.mayReplace === true,
    isOurs: isOwnStatusLine(home),
  })
}

/** Claude Code 2.1.97 or later; without it the line never says that the cache expired while idle. */
const STATUS_LINE_SECONDS = 60

export const STATUS_LINE_FIELD = "statusLine"

export function isOwnStatusLine(home: string): (value: unknown) => boolean {
  const isOurs = leadsInto(kitFolder(home))
  return (value) =>
    isRecord(value) && typeof value["command"] === "string" && isOurs(value["command"])
}

/** The name of our MCP server in every host. */
export const SERVER_NAME = "qm"

function wantedServer(
  form: KitHostForm,
  base: Pick<Base, "within" | "host" | "isPrivate">,
  { machine, node, main }: KitContext,
): readonly WantedFile[] {
  if (form.server === undefined) return []
  const { path: file, container } = form.settings(machine)
  const value = form.server({ node, main })
  const editor = settingEditor({ path: file, section: container, name: SERVER_NAME, value })
  return [{ ...base, kind: "shared", path: file, what: "the MCP server qm", editor }]
}

function wantedPlugin(
  form: KitHostForm,
  base: Pick<Base, "within" | "host" | "isPrivate">,
  { machine, home, node, main, pluginCode: code }: KitContext,
): readonly WantedFile[] {
  const file = form.plugin?.(machine, { code, node, bundle: bundleFile(home), main })
  if (file === undefined) return []
  return [
    {
      ...base,
      kind: "owned",
      path: file.path,
      what: `the plugin of ${form.title}`,
      bytes: Buffer.from(file.text),
      mode: 0o600,
      isSealed: true,
    },
  ]
}

export function hookFileOf(
  form: KitHostForm,
  level: number,
  { home, machine, node }: Pick<KitContext, "home" | "machine" | "node">,
): HookFile {
  const program = { kind: "bundle", node, bundle: bundleFile(home) } as const
  return {
    ...form.settings(machine),
    entries: form.entries(level, program),
    isOurs: leadsInto(kitFolder(home)),
  }
}

/**
 * A folder that the user configured may be anywhere; the default one must be in the home folder.
 */
export function anchorOf(form: KitHostForm, machine: Machine): string {
  const folder = form.folder(machine)
  return isInside(machine.userHome, folder) ? machine.userHome : folder
}

function anchorFor(file: string, anchor: string, machine: Machine): string {
  return isInside(anchor, file) ? anchor : machine.userHome
}

export type RepositoryPlace = {
  readonly root: string
  readonly stateDirectory: string
  readonly configFile: string
}

export function wantedForRepository(
  repository: RepositoryPlace,
  install: {
    readonly level: number
    readonly hosts: readonly KitHost[]
    readonly writesLevel: boolean
    readonly mark: Buffer
  },
): readonly WantedFile[] {
  const inTree = { within: repository.root, isPrivate: false } as const
  const boots = install.hosts.flatMap((host): readonly WantedFile[] => {
    const name = HOST_FORMS[host].bootFile
    if (name === null) return []
    const file = path.join(repository.root, name)
    const editor = blockEditor({ path: file, lines: bootLines(install.level) })
    const what = `a marked block that ${HOST_FORMS[host].title} reads at session start`
    return [{ ...inTree, kind: "shared", path: file, host, what, editor }]
  })
  const setting = {
    path: repository.configFile,
    section: "kit",
    name: "level",
    value: install.level,
  }
  const level: WantedFile = {
    ...inTree,
    kind: "shared",
    path: repository.configFile,
    host: null,
    what: `kit.level is ${install.level}`,
    editor: settingEditor(setting),
  }
  return [...boots, ...(install.writesLevel ? [level] : []), enrolment(repository, install.mark)]
}

function enrolment(repository: RepositoryPlace, mark: Buffer): WantedFile {
  return {
    kind: "owned",
    path: markAt(repository.stateDirectory),
    within: path.dirname(repository.stateDirectory),
    host: null,
    what: "enrols this repository; without this file hooks do nothing here",
    isPrivate: true,
    bytes: mark,
    mode: 0o600,
    isSealed: true,
  }
}
