import type { ContextKind, HostName, Load, ManifestNote, SearchedPath } from "#ground/contract"
import type { Disk } from "./disk.ts"

/** Where an agent would start, and everything of the outside that decides what it loads. */
export type HostPlace = {
  /** Absolute, as the person gave it; a host resolves links by its own rule. */
  readonly workingDirectory: string
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform: "linux" | "darwin" | "win32"
}

export type Scope = "managed" | "user" | "project" | "local" | "memory"

export type HostItem = {
  /** Absolute, as the host names it; in angle brackets when it is no file of its own. */
  readonly path: string
  readonly source: string
  readonly priority: number
  readonly scope: Scope
  readonly load: Load
  /** At most about six words. */
  readonly reason: string
  readonly kind: ContextKind
  readonly trust: "own" | "project" | "external"
  readonly importedBy?: { readonly path: string; readonly line: number }
  readonly file: {
    readonly realPath: string
    readonly bytes: Buffer
    readonly modifiedAt: number
  }
  /**
   * Exactly what stands in the window at start: the transformed text of an instruction file, the
   * listing line of a skill, nothing of a settings file.
   */
  readonly sent: string
  /** What the host writes around `sent` because of this item, e.g. a heading with the path. */
  readonly frame: string
  /** What a later turn may add: the body of a skill, a rule that waits for its files. */
  readonly later: string
  /** Patterns a conditional item waits for, against paths from `base`. */
  readonly waitsFor?: { readonly patterns: readonly string[]; readonly base: string }
}

export type SettingsLayer = {
  readonly layer: string
  readonly path: string
  /** Whose the file is, as for an item; of an external one no value is for others' eyes. */
  readonly trust: HostItem["trust"]
  readonly outcome:
    | { readonly kind: "found"; readonly values: Readonly<Record<string, unknown>> }
    | { readonly kind: "missing" }
    | { readonly kind: "broken"; readonly problem: string }
    | { readonly kind: "unreadable"; readonly reason: string }
}

/** An MCP server as a file names it; nothing is replaced yet. */
export type McpServer = {
  readonly name: string
  readonly scope: string
  readonly path: string
  readonly trust: HostItem["trust"]
  readonly transport: string
  readonly target: string
  readonly state: string
}

export type Survey = {
  readonly items: readonly HostItem[]
  readonly searched: readonly SearchedPath[]
  readonly layers: readonly SettingsLayer[]
  readonly mcpServers: readonly McpServer[]
  readonly notes: readonly ManifestNote[]
}

export type HostReport = {
  readonly by: "host" | "transcript" | "wire"
  readonly at: number
  readonly version?: string
  readonly session?: string
  readonly files: readonly {
    readonly path: string
    readonly text?: string
    /** Of the trimmed text, where its hash is known and the text itself is not kept. */
    readonly sha256?: string
    readonly tokens?: number
  }[]
  /** For hosts that put all instructions into one text without naming files. */
  readonly wholeText?: string
  readonly categories: readonly { readonly name: string; readonly tokens: number }[]
}

export type Installed = {
  readonly version: string | undefined
  /** Without links. */
  readonly program: string
  /** As the PATH names it. */
  readonly foundAt: string
}

export type Host = {
  readonly name: HostName
  readonly title: string
  /** The versions on which the facts were seen, newest last. */
  readonly factsVersions: readonly string[]
  /** False when the facts come from documents and the host could not be run. */
  readonly isVerified: boolean
  /** What the host does with a list that several settings files hold; it replaces unless said. */
  readonly joinsLists?: boolean
  survey(place: HostPlace, disk: Disk): Promise<Survey>
  /** The program on the PATH and its version, read from files; nothing is started. */
  findInstalled(place: HostPlace, disk: Disk): Promise<Installed | undefined>
  /** What the newest session here recorded of its instructions; read from the host's own files. */
  readLastSession?(place: HostPlace, disk: Disk): Promise<HostReport | undefined>
  /** Starts the host and asks; only with the person's consent. */
  ask?(place: HostPlace, options: AskOptions): Promise<AskOutcome>
}

export type AskOptions = {
  readonly program: string
  /** Whether the person lets the host start in a folder it does not trust yet. */
  readonly trust: boolean
  readonly signal: AbortSignal
  now(): number
}

export type AskOutcome =
  | { readonly kind: "answered"; readonly word: HostReport }
  | { readonly kind: "not-trusted" }
  | { readonly kind: "failed"; readonly reason: string }
