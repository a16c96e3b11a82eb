import { mediaHandlers, type Spending } from "#act/media"
import type { Services } from "../services.ts"

/** Of this process: the cap must hold for all repositories of a server. */
const spending: Spending = { usd: 0 }

export function openMediaHandlers(services: Services) {
  return mediaHandlers({
    clock: services.clock,
    spending,
    settings: () => services.config().media,
    async key() {
      const variable = services.environment()["GEMINI_API_KEY"]
      if (variable !== undefined && variable !== "") return variable
      return (await services.credentials()).use("gemini")
    },
    resolve: services.resolve,
    redact: async (text) => (await services.secrets()).redact(text).text,
  })
}
