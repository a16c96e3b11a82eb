import type { Input } from "../../data/client.ts"
import type { CostParams } from "../../data/paths.ts"
import { useOperation, useSession } from "../../data/queries.tsx"

type Group = "day" | CostParams["by"]

export function useCost(params: CostParams, by: Group) {
  return useOperation("sessions.cost", useCostInput(params, by))
}

export function useCostInput(params: CostParams, by: Group) {
  const { data: session } = useSession()
  const root = session?.repository.root
  return {
    since: params.since,
    by,
    ...(params.here && root !== undefined ? { repository: root } : {}),
  } satisfies Input<"sessions.cost">
}
