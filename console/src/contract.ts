/**
 * The only door to the engine. Types vanish in the build; the figures are pure functions behind a
 * direct alias, because the index would bring zod along (60 kB).
 */
export type {
  ConfigLayer,
  ConfigReport,
  ConfigSetting,
  ContextKind,
  Cursor,
  DoctorReport,
  EventName,
  EventsPage,
  JournalEntry,
  Now,
  NowRow,
  OperationInput,
  OperationName,
  OperationOutput,
  StoreStatus,
  TokenCount,
  WireError,
} from "#ground/contract"
export {
  formatBytes,
  formatCount,
  formatDuration,
  formatExact,
  plural,
} from "#ground/contract/format"
