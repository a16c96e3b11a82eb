import type { Clock, Random } from "#ground/base"
import type { HookName, KitHost, VerdictKind } from "#ground/contract"
import type { Claims, Classifier, Ledger } from "#know/ledger"

type Base = {
  readonly host: KitHost
  /** As the host gave it; any text. */
  readonly session: string
  /** Absolute; where the host runs. */
  readonly directory: string
  readonly at: number
}

type Edit = {
  readonly tool: string
  /** From the root of the repository; those outside of it are left out. */
  readonly paths: readonly string[]
}

/** What happened, in the words of the house: each host has its own. */
export type HookEvent = Base &
  (
    | { readonly kind: "session-start"; readonly source: string }
    | ({ readonly kind: "before-edit" } & Edit)
    | ({ readonly kind: "after-edit"; readonly textUnits: number } & Edit)
    /** A tool that brings text into the window; `paths` may be empty. */
    | ({ readonly kind: "after-tool"; readonly textUnits: number } & Edit)
    | { readonly kind: "before-agent"; readonly agentType: string; readonly prompt: string }
    | { readonly kind: "agent-start"; readonly agentType: string; readonly agentId: string }
    | {
        readonly kind: "stop"
        /** The host says that a hook has already kept it from stopping. */
        readonly isAgain: boolean
        /** Work goes on in the background: nobody is really stopping. */
        readonly isBusy: boolean
      }
    | {
        readonly kind: "loaded"
        readonly file: string
        readonly memoryKind: string
        readonly reason: string
        readonly parent: string | undefined
      }
  )

export type HookEventKind = HookEvent["kind"]

/** What a rule says. A warning and a context are words for the agent; the work goes on. */
export type Verdict =
  | { readonly kind: "silent" }
  | {
      readonly kind: Exclude<VerdictKind, "silent" | "override">
      readonly text: string
      readonly paths?: readonly string[]
    }
  /** An edit that would have been refused, had nobody said that it may be made. */
  | { readonly kind: "override"; readonly text: string; readonly paths?: readonly string[] }

/** Settings that hooks read by themselves, without a package; what cannot be read is the default. */
export type HookConfig = {
  readonly level: number
  readonly mayFetch: boolean
  readonly highRiskPaths: readonly string[]
  readonly ignored: readonly string[] | undefined
  readonly important: readonly string[] | undefined
  readonly registration: readonly string[] | undefined
}

/** Work that is done after the answer was written, by a process of its own that nobody waits for. */
export type Afterwards = { readonly kind: "fetch" } | { readonly kind: "index-daemon" }

/** All that a rule may look at and write to. */
export type HookWorld = {
  readonly root: string
  readonly gitDirectory: string | undefined
  readonly stateDirectory: string
  /** The user's own folder, `~/.qm`. */
  readonly home: string
  readonly config: HookConfig
  readonly ledger: Ledger
  readonly claims: Claims
  readonly classifier: Classifier
  readonly clock: Pick<Clock, "now">
  readonly random: Random
  /** Aborted when the hook must answer now. */
  readonly signal: AbortSignal
  afterwards(work: Afterwards): void
  /** A person tries a hook; the log says so, since no host has started it. */
  readonly isByHand?: boolean
}

export type Rule = {
  readonly name: HookName
  /** The lowest level that has it. */
  readonly level: number
  readonly kinds: readonly HookEventKind[]
  judge(event: HookEvent, world: HookWorld): Promise<Verdict>
}
