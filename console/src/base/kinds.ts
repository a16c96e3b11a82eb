import type { ContextKind } from "../contract.ts"

/** The kinds in the order in which every bar draws them, here and in the terminal. */
export const KINDS = [
  "instructions",
  "files",
  "symbols",
  "knowledge",
  "memory",
  "tools",
  "history",
] as const satisfies readonly ContextKind[]
