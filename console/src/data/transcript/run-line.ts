import { createContext } from "react"
import type { Message, Run, RunStatus } from "../../contract.ts"

export type RunUpdate =
  | { readonly kind: "subscribed"; readonly lastSeq: number; readonly status: RunStatus }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "message"; readonly message: Message }
  /** The whole streamed text; it replaces the previous one. */
  | { readonly kind: "delta"; readonly text: string; readonly parentId?: string | undefined }
  | { readonly kind: "updated"; readonly run: Run }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "deleted" }
  | { readonly kind: "lost" }

export type RunFollower = {
  /** Sequence number of the newest known message; the position to resume from. */
  after(): number
  receive(it: RunUpdate): void
}

export type PipelineText = {
  readonly id: string
  readonly stage: number
  readonly activityId: string
  readonly text: string
}

export type RunLine = {
  followAgent(agentId: string, follower: RunFollower): () => void
  followPipeline(id: string, receive: (it: PipelineText) => void): () => void
}

const NO_LINE: RunLine = {
  followAgent: () => () => undefined,
  followPipeline: () => () => undefined,
}

export const RunLineContext = createContext(NO_LINE)
