import path from "node:path"
import { once } from "#ground/base"
import { createPlans, planHandlers } from "#know/plans"
import { PROJECT_FOLDER } from "#see/repo"
import type { Services } from "../services.ts"

export function openPlanHandlers(
  services: Pick<Services, "clock" | "places" | "random" | "secrets">,
) {
  const plans = once(async () => {
    const { root, stateDirectory } = services.places().repository
    return createPlans({
      clock: services.clock,
      random: services.random,
      root,
      folder: path.join(root, PROJECT_FOLDER, "plans"),
      stateFolder: path.join(stateDirectory, "agent-notes"),
      redact: async (text) => (await services.secrets()).redact(text).text,
    })
  })
  return planHandlers({ plans })
}
