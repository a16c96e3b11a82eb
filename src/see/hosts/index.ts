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
