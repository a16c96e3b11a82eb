import type { AppError } from "#ground/base"
import { ModelBusy, ModelFailed, ModelRefused, ModelUnreachable } from "./errors.ts"

/** How a try went wrong; words of a server in it are scrubbed already. */
export type Failure =
  | { readonly kind: "refused"; readonly status: number; readonly reason: string }
  | {
      readonly kind: "busy" | "failed"
      readonly status: number
      readonly reason: string
      /** How long the provider asks to be left alone. */
      readonly retryAfterMs: number | undefined
    }
  | { readonly kind: "unreachable"; readonly reason: string }

export type Try<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "not-done"; readonly failure: Failure }

export function failureError(failure: Failure, provider: string, tries: number): AppError {
  const { reason } = failure
  switch (failure.kind) {
    case "refused":
      return ModelRefused({ provider, status: failure.status, reason })
    case "busy":
      return ModelBusy({ provider, status: failure.status, reason, tries })
    case "failed":
      return ModelFailed({ provider, status: failure.status, reason, tries })
    case "unreachable":
      return ModelUnreachable({ provider, reason, tries })
    default:
      return failure satisfies never
  }
}
