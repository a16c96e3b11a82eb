export type { BaseUrl, BaseUrlHost } from "./base-urls.ts"
export { findBypass, findRepositoryBaseUrls } from "./base-urls.ts"
export type { CodexProvider } from "./codex/provider.ts"
export { readCodexProvider } from "./codex/provider.ts"
export type { Disk, DiskEntry, DiskFile } from "./disk.ts"
export { realDisk } from "./disk.ts"
export { globMatcher, isUsableGlob } from "./glob.ts"
export type {
  AskOptions,
  AskOutcome,
  Found,
  Host,
  HostWord,
  Installed,
  McpServer,
  Place,
  Scope,
  SettingsLayer,
  Survey,
} from "./host.ts"
export { loadHost } from "./hosts.ts"
