export type { SessionIndex } from "./sessions.ts"
export { createSessionIndex } from "./sessions.ts"
