export type { Redact, SafeLines } from "./lines.ts"
export { redactKeepingLines, redactLines } from "./lines.ts"
export type { SecretFinding, Secrets } from "./secrets.ts"
export { createSecrets } from "./secrets.ts"
