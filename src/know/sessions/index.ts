export { sessionsHandlers } from "./handlers.ts"
export type { SessionIndex } from "./sessions.ts"
export { createSessionIndex } from "./sessions.ts"
