export type { HookAnswer, HookPayload, HostEvent } from "./hosts/dialect.ts"
export type { HookByHand, SaidByHand } from "./once.ts"
export { runHookOnce } from "./once.ts"
export type { ByteSource } from "./payload.ts"
