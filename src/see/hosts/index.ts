export { findBypass, findRepositoryBaseUrls } from "./base-urls.ts"
export type { HostBaselines, MeasuredTokens, StartBaseline } from "./baseline.ts"
export type { CodexProvider } from "./codex/provider.ts"
export { readCodexProvider } from "./codex/provider.ts"
export { keepContextKeys } from "./context-keys.ts"
export type { Disk, DiskEntry, DiskFile } from "./files/disk.ts"
export { realDisk } from "./files/disk.ts"
export { globMatcher, isUsableGlob } from "./files/glob.ts"
export type { WantedProgram } from "./find-program.ts"
export { findProgram } from "./find-program.ts"
export type {
  AskOutcome,
  Host,
  HostItem,
  HostPlace,
  HostReport,
  HostStart,
  InstalledHost,
  McpServer,
  SettingsLayer,
  Survey,
  ToolCalls,
} from "./host.ts"
export { loadHost } from "./hosts.ts"
export { widthOf } from "./listing-budget.ts"
export { modelWindow } from "./model-window.ts"
export { findSignIn } from "./sign-in.ts"
export type { HostHome, SessionFile, TranscriptFile } from "./transcripts/find-transcripts.ts"
export {
  claudeFiles,
  claudeProjectSlug,
  codexFiles,
  findTranscripts,
  isSessionId,
  namesIn,
  sessionsFolder,
} from "./transcripts/find-transcripts.ts"
export { opencodeMessageAt, opencodeMessages } from "./transcripts/opencode.ts"
export {
  isFromHost,
  isPrompt,
  textOf,
  timeOfLine,
  userText,
  withoutInjectedContext,
} from "./transcripts/transcript-text.ts"
