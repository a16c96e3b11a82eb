export { findBypass, findRepositoryBaseUrls } from "./base-urls.ts"
export type { CodexProvider } from "./codex/provider.ts"
export { readCodexProvider } from "./codex/provider.ts"
export type { Disk, DiskEntry, DiskFile } from "./disk.ts"
export { realDisk } from "./disk.ts"
export { globMatcher, isUsableGlob } from "./glob.ts"
export type {
  AskOutcome,
  Host,
  HostItem,
  HostPlace,
  HostReport,
  InstalledHost,
  SettingsLayer,
  Survey,
} from "./host.ts"
export { loadHost } from "./hosts.ts"
