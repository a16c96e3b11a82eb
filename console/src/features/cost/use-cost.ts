import type { CostParams } from "../../data/paths.ts"
import { useOperation, useSession } from "../../data/queries.tsx"

export function useCost(params: CostParams, by: "day" | CostParams["by"]) {
  const { data: session } = useSession()
  const root = session?.repository.root
  return useOperation("sessions.cost", {
    since: params.since,
    by,
    ...(params.here && root !== undefined ? { repository: root } : {}),
  })
}
