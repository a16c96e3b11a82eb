export type { ReportDeps } from "./deps.ts"
export { auditHandlers, reportHandlers } from "./report.ts"
