import type { ContextKind } from "../contract.ts"

export const KINDS = [
  "system",
  "tools",
  "mcp",
  "instructions",
  "skills",
  "agents",
  "memory",
  "files",
  "symbols",
  "knowledge",
  "history",
] as const satisfies readonly ContextKind[]
