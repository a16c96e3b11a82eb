export type { Spending } from "./media.ts"
export { mediaHandlers } from "./media.ts"
