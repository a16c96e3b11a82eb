import { createContext } from "react"
import type { Message, Run, RunStatus } from "../contract.ts"

export type RunHeard =
  | { readonly kind: "subscribed"; readonly lastSeq: number; readonly status: RunStatus }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "message"; readonly message: Message }
  /** The whole of the text that is being written; it replaces the one before. */
  | { readonly kind: "delta"; readonly text: string; readonly parentId?: string | undefined }
  | { readonly kind: "updated"; readonly run: Run }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "deleted" }
  /** The line broke; it is made again, and `after` is asked again. */
  | { readonly kind: "lost" }

export type RunFollower = {
  /** The newest message it knows of: where to go on after a break. */
  after(): number
  hear(it: RunHeard): void
}

/** Text that a stage of a pipeline writes just now; the whole of it, and empty when it is over. */
export type PipelineText = {
  readonly id: string
  readonly stage: number
  readonly activityId: string
  readonly text: string
}

export type RunLine = {
  followAgent(agentId: string, follower: RunFollower): () => void
  followPipeline(id: string, hear: (it: PipelineText) => void): () => void
}

const NO_LINE: RunLine = {
  followAgent: () => () => undefined,
  followPipeline: () => () => undefined,
}

export const RunLineContext = createContext(NO_LINE)
