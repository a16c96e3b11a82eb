import type { ContextKind } from "../contract.ts"

export const KINDS = [
  "instructions",
  "files",
  "symbols",
  "knowledge",
  "memory",
  "tools",
  "history",
] as const satisfies readonly ContextKind[]
