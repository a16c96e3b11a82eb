// For hooks: nothing on this way loads a package (GUARD-13).

export type {
  Afterwards,
  HookConfig,
  HookEvent,
  HookEventKind,
  HookWorld,
  Rule,
  Verdict,
} from "./event.ts"
export type { HookConfigPlaces } from "./hook-config.ts"
export { readHookConfig, splitPatterns } from "./hook-config.ts"
export type { Judged } from "./judge.ts"
export { judgeEvent } from "./judge.ts"
export type { Allowing, Override, OverridesDeps } from "./overrides.ts"
export { createOverrides } from "./overrides.ts"
export type { AskedEdit, OwnEdit } from "./receipts/covers.ts"
export { covers } from "./receipts/covers.ts"
export type { FileHash, HashFormat } from "./receipts/hash-file.ts"
export { hashFile } from "./receipts/hash-file.ts"
export type { KeptReceipt, Receipt } from "./receipts/receipt.ts"
export { readReceipts } from "./receipts/receipts.ts"
export type { PatternUse, RiskPaths } from "./risk-paths.ts"
export { checkRiskPaths, createRiskPaths } from "./risk-paths.ts"
export type { LoadedFile } from "./rules/loaded.ts"
export { readLoaded } from "./rules/loaded.ts"
export { RULES } from "./rules.ts"
export { appendVerdict } from "./verdicts/log.ts"
export type { Verdicts, VerdictsAsked } from "./verdicts/read.ts"
export { readVerdicts } from "./verdicts/read.ts"
export type { Tried, TriedHit } from "./verdicts/try.ts"
export { tryPatterns } from "./verdicts/try.ts"

// Simulating, with the map handed in.

export type { GuardDeps, Simulation } from "./guard.ts"
export { createGuard } from "./guard.ts"

// The index daemon, which keeps an index warm for hooks.

export { indexDaemonSocket, listenAsIndexDaemon } from "./bridge/index-daemon.ts"
export type { DaemonQuestion } from "./bridge/question.ts"
