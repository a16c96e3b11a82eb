export type { HookAnswer, HookOutcome, HookPayload, Judge } from "./answer.ts"
export { answerHook } from "./answer.ts"
export type { HookDeps } from "./hooks.ts"
export { runHook } from "./hooks.ts"
