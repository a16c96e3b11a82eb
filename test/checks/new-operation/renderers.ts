import type { Renderers } from "#show/cli"
import type { tideOperations } from "./operations.ts"

export const tideRenderers: Renderers<typeof tideOperations> = {
  next: ({ harbour, inHours }) => `High tide at ${harbour} in ${inHours} hours`,
}
