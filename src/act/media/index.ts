export type { MediaDeps, Spending } from "./media.ts"
export { mediaHandlers } from "./media.ts"
