import type { Clock, Random } from "#ground/base"
import type { HookName, KitHost, VerdictKind } from "#ground/contract"
import type { Claims, Classifier, Ledger } from "#know/ledger"

type Base = {
  readonly host: KitHost
  readonly session: string
  readonly directory: string
  readonly at: number
}

type Edit = {
  readonly tool: string
  /** Relative to the repository root; paths outside of it are left out. */
  readonly paths: readonly string[]
}

/** What happened, the same for all hosts; `show/hooks` translates. */
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
        /** A hook has already blocked this stop. */
        readonly isAgain: boolean
        /** Work goes on in the background. */
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

/** `warn` and `context` are text for the agent; its work goes on. */
export type Verdict =
  | { readonly kind: "silent" }
  | {
      readonly kind: Exclude<VerdictKind, "silent" | "override">
      readonly text: string
      readonly paths?: readonly string[]
    }
  /** An edit that would have been denied without an override. */
  | { readonly kind: "override"; readonly text: string; readonly paths?: readonly string[] }

/** Read without a package; a setting that cannot be read has its default. */
export type HookConfig = {
  readonly level: number
  readonly mayFetch: boolean
  readonly highRiskPaths: readonly string[]
  readonly ignored: readonly string[] | undefined
  readonly important: readonly string[] | undefined
  readonly registration: readonly string[] | undefined
}

/** Work for a detached process, started after the hook has answered. */
export type Afterwards = { readonly kind: "fetch" } | { readonly kind: "index-daemon" }

export type HookWorld = {
  readonly root: string
  readonly gitDirectory: string | undefined
  readonly stateDirectory: string
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
  /** Started by a person; the log says so. */
  readonly isByHand?: boolean
}

export type Rule = {
  readonly name: HookName
  readonly level: number
  readonly kinds: readonly HookEventKind[]
  judge(event: HookEvent, world: HookWorld): Promise<Verdict>
}
