import { splitPatterns } from "#choose/guard"
import { auditHandlers, type ReportDeps, reportHandlers } from "#choose/report"
import { createGraphs, createMap } from "#know/map"
import { openGit } from "#see/repo"
import type { Services } from "../services.ts"
import { claimsOf, placeOf } from "./ledger.ts"

export function openReportHandlers(services: Services) {
  const graphs = createGraphs()
  const { repository } = services.places()
  const deps: ReportDeps = {
    clock: services.clock,
    repository,
    tree: (context) => services.map().tree(context),
    graphOf: (tree) => graphs.of(tree),
    parser: createMap,
    async git(signal) {
      const environment = services.environment()
      const opened = await openGit({ repository, environment, signal })
      return opened.kind === "ready" ? opened.git : { problem: opened.reason }
    },
    redact: async () => (await services.secrets()).redact,
    highRiskPaths: () => splitPatterns(services.config().guard.highRiskPaths),
    place: (path) => placeOf(path, services),
    board: services.board,
    claims: () => claimsOf(services),
    memory: services.memory,
  }
  return { audit: auditHandlers(deps), report: reportHandlers(deps) }
}
