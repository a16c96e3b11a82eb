import { isOpen } from "../base/status.ts"
import type { Now } from "../contract.ts"
import { useOperation } from "../data/queries.tsx"
import type { NavPage } from "./places.ts"

type Count = { readonly count?: number; readonly tone?: "warn" }

const NEWEST_PIPELINES = 50

export function useCounts(report: Now | undefined): (id: NavPage["id"]) => Count {
  const pipelines = useOperation("pipeline.list", { limit: NEWEST_PIPELINES }).data?.runs ?? []
  const open = pipelines.filter((it) => isOpen(it.status))
  const agents = useOperation("agent.list", {}).data?.agents.length ?? 0
  const documents = useOperation("kb.status", {}).data?.documents ?? 0
  return (id) => {
    switch (id) {
      case "now":
        return counted(report?.waiting.length ?? 0, "warn")
      case "runs":
        return counted(report?.running.length ?? 0)
      case "pipelines":
        return open.some((it) => it.status === "paused")
          ? counted(open.length, "warn")
          : counted(open.length)
      case "agents":
        return counted(agents)
      case "knowledge":
        return counted(documents)
      default:
        return {}
    }
  }
}

function counted(count: number, tone?: "warn"): Count {
  if (count === 0) return {}
  return tone === undefined ? { count } : { count, tone }
}
