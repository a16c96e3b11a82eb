// For hooks: nothing on this way loads a package (GUARD-13).

export type { AskedEdit, OwnEdit } from "./receipts/covers.ts"
export { covers } from "./receipts/covers.ts"
export type { FileHash, HashFormat } from "./receipts/hash-file.ts"
export { hashFile, hashFormatOf } from "./receipts/hash-file.ts"
export type { KeptReceipt, Receipt } from "./receipts/receipt.ts"
export { readReceipts } from "./receipts/receipts.ts"
export type { PatternUse, RiskPaths } from "./risk-paths.ts"
export { checkRiskPaths, createRiskPaths } from "./risk-paths.ts"

// Simulating, with the map handed in.

export type { GuardDeps, Simulation } from "./guard.ts"
export { createGuard } from "./guard.ts"
