import { capture, map, pack, search } from "./code.ts"
import { branch, branchStatus, returnTool } from "./fold.ts"
import { memoryFeedback, memoryRecord, memorySearch } from "./memory.ts"
import { readHandle } from "./read-handle.ts"
import type { Tool } from "./tool.ts"

/** Every tool there is, in the order in which it is listed; those that must be seen come first. */
export const TOOLS: readonly Tool[] = [
  branch,
  returnTool,
  branchStatus,
  readHandle,
  pack,
  search,
  map,
  capture,
  memorySearch,
  memoryRecord,
  memoryFeedback,
]
