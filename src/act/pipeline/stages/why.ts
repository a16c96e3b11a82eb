import { isAppError } from "#ground/base"

/** Why work that may fail did: the message we wrote, or that something of ours broke. */
export function whyFailed(error: unknown): string {
  if (isAppError(error)) return error.message
  return error instanceof Error ? error.message : "It failed and did not say why."
}
