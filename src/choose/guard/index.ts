// Hooks load this file: nothing here may load a package (GUARD-13).

export type {
  BackgroundWork,
  HookConfig,
  HookContext,
  HookEvent,
  HookEventKind,
  ToolOutput,
  Verdict,
} from "./event.ts"
export { createGuard } from "./guard.ts"
export { guardHandlers, MOST_VERDICTS_TRIED } from "./handlers.ts"
export { readHookConfig, splitPatterns } from "./hook-config.ts"
export type { DaemonQuestion } from "./index-daemon.ts"
export { indexDaemonSocket, listenAsIndexDaemon } from "./index-daemon.ts"
export { judgeEvent, RULES } from "./judge-hook-event.ts"
export type { Receipt } from "./receipts.ts"
export { hashFile } from "./receipts.ts"
export { checkRiskPaths, createRiskPaths } from "./risk-paths.ts"
export { readLoaded } from "./rules/loaded-file.ts"
export { LATE } from "./rules/package.ts"
export { compactsAt, compactWindow, noteWindow } from "./rules/window.ts"
export { noteSessionCache, readSessionCache } from "./session-cache.ts"
export { appendVerdict, readVerdicts } from "./verdict-log.ts"
