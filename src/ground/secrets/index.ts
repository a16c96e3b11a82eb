export type { SecretFinding, Secrets } from "./secrets.ts"
export { createSecrets } from "./secrets.ts"
