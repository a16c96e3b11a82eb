import type { ContextKind, HostName, Load, ManifestNote, SearchedPath } from "#ground/contract"
import type { StartBaseline } from "./baseline.ts"
import type { ContextKeys } from "./context-keys.ts"
import type { Disk } from "./files/disk.ts"

/** Where an agent would start, with everything outside that decides what it loads. */
export type HostPlace = {
  /** Absolute, as the user gave it; a host resolves links by its own rule. */
  readonly workingDirectory: string
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly platform: "linux" | "darwin" | "win32"
  /** Settings that the host would get on its command line: JSON, or the path of a file. */
  readonly commandLineSettings?: string
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
  /** How the host reaches it, with its secrets; never shown and never stored. */
  readonly launch: McpLaunch
}

export type McpLaunch =
  | {
      readonly kind: "stdio"
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | {
      readonly kind: "http"
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }
  | { readonly kind: "unknown" }

/** How a host fitted the listing of skills into its budget. */
export type SkillListing = {
  readonly budget: number
  readonly unit: "characters" | "tokens"
  /** Size of the listing with every description. */
  readonly needed: number
  /** Where the budget comes from. */
  readonly reason: string
  readonly skills: number
  readonly shortened: readonly {
    readonly name: string
    readonly path: string
    readonly lostCharacters: number
    /** Whether not even its name is listed. */
    readonly isLeftOut: boolean
  }[]
}

/** The part of the window that no file of the user explains. */
export type HostStart = {
  /** Version of the host that was measured. */
  readonly version: string
  readonly measuredAt: string
  readonly baseline: StartBaseline
  /** The model that a new session uses; the baseline may be that of a similar one. */
  readonly model: string
  readonly window: number
  readonly isGit: boolean
  /** Paths that the host names in its texts. */
  readonly paths: { readonly directory: string; readonly memory: string }
  /**
   * The parts of an MCP server in the window: definitions of its tools, their names, a line for the
   * server, or nothing until the model searches.
   */
  readonly mcpTools: "loaded" | "named" | "server-named" | "hidden"
  readonly listing: SkillListing | undefined
  /** Time of the last use of each skill, if the host records it. */
  readonly skillUses: ReadonlyMap<string, number>
}

export type Survey = {
  readonly items: readonly HostItem[]
  readonly searched: readonly SearchedPath[]
  readonly layers: readonly SettingsLayer[]
  readonly mcpServers: readonly McpServer[]
  readonly notes: readonly ManifestNote[]
  /** Absent for a host whose requests were not measured. */
  readonly start?: HostStart
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
  /** Tokens of the whole window, as the host or its provider counted them. */
  readonly totalTokens?: number
  readonly window?: number
  readonly model?: string
  /** Definitions of tools in the request, if it was recorded. */
  readonly tools?: readonly {
    readonly name: string
    readonly tokens: number
    readonly isLoaded: boolean
  }[]
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
  /** The keys of settings and state files outside the project that may be shown and stored. */
  readonly contextKeys: ContextKeys
  survey(place: HostPlace, disk: Disk): Promise<Survey>
  findInstalled(place: HostPlace, disk: Disk): Promise<InstalledHost | undefined>
  readLastSession?(place: HostPlace, disk: Disk): Promise<HostReport | undefined>
  /** Calls of MCP tools in the sessions of this folder since a time. */
  countToolCalls?(place: HostPlace, disk: Disk, since: number): Promise<ToolCalls>
  /** Instruction files below the working directory, which the host loads when it works there. */
  readonly nested?: {
    isInstruction(relativePath: string): boolean
    textOf(bytes: Buffer): Promise<string>
  }
  /** Starts the host; only with the user's consent. */
  ask?(place: HostPlace, options: AskOptions): Promise<AskOutcome>
}

export type ToolCalls = {
  readonly sessions: number
  /** False if there were more sessions than were read. */
  readonly isWhole: boolean
  readonly byTool: ReadonlyMap<string, { readonly calls: number; readonly lastAt: number }>
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
