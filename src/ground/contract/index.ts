export { Config, TokenEncoding } from "./config.ts"
export type { Emit, EventBody, EventDefinition, EventName, EventRoom } from "./event.ts"
export { Cursor, defineEvent, EVENTS, JournalEntry } from "./event.ts"
export { formatBytes, formatCount, formatDuration, formatExact, plural } from "./format.ts"
export {
  CONTEXT_KINDS,
  ContextKind,
  Load,
  Manifest,
  ManifestItem,
  SearchedPath,
} from "./manifest.ts"
export { Message, MessageType } from "./message.ts"
export type { CallContext, Operation, Surface } from "./operation.ts"
export { defineOperation } from "./operation.ts"
export { WireError } from "./wire-error.ts"
