import type { ContextKind, HostName, Load, ManifestNote, SearchedPath } from "#ground/contract"
import type { Disk } from "./disk.ts"

/** Where an agent would start, with everything outside that decides what it loads. */
export type HostPlace = {
  /** Absolute, as the user gave it; a host resolves links by its own rule. */
  readonly workingDirectory: string
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform: "linux" | "darwin" | "win32"
}

export type Scope = "managed" | "user" | "project" | "local" | "memory"

export type HostItem = {
  /** Absolute, as the host names it; in angle brackets if it is not a file. */
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
   * Exact text in the window at the start: the transformed text of an instruction file, the listing
   * line of a skill, nothing of a settings file.
   */
  readonly sent: string
  /** Text that the host writes around `sent` for this item, e.g. a heading with the path. */
  readonly frame: string
  /** Text that a later turn may add: the body of a skill, a conditional rule. */
  readonly later: string
  /** Patterns of a conditional item, relative to `base`. */
  readonly waitsFor?: { readonly patterns: readonly string[]; readonly base: string }
}

export type SettingsLayer = {
  readonly layer: string
  readonly path: string
  /** As for an item; values of an external layer are never shown. */
  readonly trust: HostItem["trust"]
  readonly outcome:
    | { readonly kind: "found"; readonly values: Readonly<Record<string, unknown>> }
    | { readonly kind: "missing" }
    | { readonly kind: "broken"; readonly problem: string }
    | { readonly kind: "unreadable"; readonly reason: string }
}

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
    /** Hash of the trimmed text, if the text itself is not stored. */
    readonly sha256?: string
    readonly tokens?: number
  }[]
  /** For hosts that send all instructions as one text without file names. */
  readonly wholeText?: string
  readonly categories: readonly { readonly name: string; readonly tokens: number }[]
}

export type InstalledHost = {
  readonly version: string | undefined
  /** Links resolved. */
  readonly program: string
  /** Path as found on the PATH. */
  readonly foundAt: string
}

export type Host = {
  readonly name: HostName
  readonly title: string
  /** Host versions on which the facts were verified, newest last. */
  readonly factsVersions: readonly string[]
  /** False if the facts come from documents and the host could not be run. */
  readonly isVerified: boolean
  /**
   * Whether the host joins a list that several settings files have; by default the strongest
   * replaces the others.
   */
  readonly joinsLists?: boolean
  survey(place: HostPlace, disk: Disk): Promise<Survey>
  findInstalled(place: HostPlace, disk: Disk): Promise<InstalledHost | undefined>
  readLastSession?(place: HostPlace, disk: Disk): Promise<HostReport | undefined>
  /** Starts the host; only with the user's consent. */
  ask?(place: HostPlace, options: AskOptions): Promise<AskOutcome>
}

export type AskOptions = {
  readonly program: string
  /** Whether the user lets the host start in a folder that it does not trust yet. */
  readonly trust: boolean
  readonly signal: AbortSignal
  now(): number
}

export type AskOutcome =
  | { readonly kind: "answered"; readonly report: HostReport }
  | { readonly kind: "not-trusted" }
  | { readonly kind: "failed"; readonly reason: string }
