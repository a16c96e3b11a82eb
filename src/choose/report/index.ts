export { casesOf } from "./code/signature.ts"
export type { ReportDeps } from "./deps.ts"
export { auditHandlers, reportHandlers } from "./report.ts"
