import type { Operation } from "#ground/contract"
import { CODE_VIEWS } from "./code.ts"
import { FOLD_VIEWS } from "./fold.ts"
import { KNOWLEDGE_VIEWS } from "./knowledge.ts"
import { MEMORY_VIEWS } from "./memory.ts"
import { SOURCE_VIEWS } from "./sources.ts"
import { deriveTools, type Tool } from "./tool.ts"

const VIEWS = {
  ...CODE_VIEWS,
  ...FOLD_VIEWS,
  ...KNOWLEDGE_VIEWS,
  ...MEMORY_VIEWS,
  ...SOURCE_VIEWS,
}

export function toolsOf(operations: readonly Operation[]): readonly Tool[] {
  const ranked = operations.flatMap((operation) => {
    const ranks = [operation.mcp ?? []].flat().map((it) => it.rank ?? Number.MAX_SAFE_INTEGER)
    return deriveTools(operation, VIEWS).map((tool, at) => ({ tool, rank: ranks[at] ?? 0 }))
  })
  return ranked.toSorted((a, b) => a.rank - b.rank).map((it) => it.tool)
}
