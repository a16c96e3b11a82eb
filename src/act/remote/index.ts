export { remoteHandlers } from "./remote.ts"
export type { LocalRepository, RunnerDeps, StartedRuns } from "./runner.ts"
export { runRunner } from "./runner.ts"
export { checkServerUrl, createServerClient } from "./server-client.ts"
