import type { Handlers } from "#ground/contract"
import type { tideOperations } from "./operations.ts"

const HOURS_BETWEEN_TIDES = 12

export const tideHandlers = (): Handlers<typeof tideOperations> => ({
  next: async ({ harbour, afterHours }) => ({
    harbour,
    inHours: Math.ceil(afterHours / HOURS_BETWEEN_TIDES) * HOURS_BETWEEN_TIDES,
  }),
})
