// Documents: read, found, followed, and what surfaces may ask.

export type { Embedder, KnowledgeDeps } from "./deps.ts"
export { FolderUnreadable } from "./errors.ts"
export type { KbHandlerDeps } from "./handlers.ts"
export { kbHandlers } from "./handlers.ts"
export type { Knowledge } from "./knowledge.ts"
export { createKnowledge } from "./knowledge.ts"

// Verification: pure, for whoever has an answer and what it cites.

export { citationAccuracy } from "./verify/citation-accuracy.ts"
export { findContradictions } from "./verify/contradictions.ts"
export { entityGrounding } from "./verify/entity-grounding.ts"
export type { LabelGroup } from "./verify/labels.ts"
export { labelGroupsOf, parenthesisedGroupsOf } from "./verify/labels.ts"
export { relationPreservation } from "./verify/relation-preservation.ts"
export { splitSentences } from "./verify/sentences.ts"
