import { capture, map, pack, search } from "./code.ts"
import { branch, branchStatus, returnTool } from "./fold.ts"
import {
  debugHopTrace,
  guideSearch,
  guideToPrimaryHop,
  hopRetrieve,
  hybridSearch,
  multiTierSearch,
} from "./knowledge.ts"
import {
  formatContext,
  getParagraph,
  listDocuments,
  listGuides,
  status,
  webSearch,
} from "./knowledge-documents.ts"
import {
  citationVerify,
  contradictionCheck,
  entityVerify,
  relationVerify,
} from "./knowledge-verify.ts"
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
  hybridSearch,
  hopRetrieve,
  listDocuments,
  getParagraph,
  entityVerify,
  citationVerify,
  relationVerify,
  contradictionCheck,
  formatContext,
  webSearch,
  guideSearch,
  guideToPrimaryHop,
  listGuides,
  multiTierSearch,
  status,
  debugHopTrace,
]
