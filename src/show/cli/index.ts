export type { ExtraCommands } from "./cli.ts"
export { runCli } from "./cli.ts"
export type { Command, Flag } from "./command.ts"
export { GLOBAL_FLAGS, HELP_TOPICS } from "./command.ts"
export {
  arrange,
  COMMAND_INDEX,
  checkIndexStale,
  derivedCommands,
  loadCommands,
} from "./command-index.ts"
export type { EntryCall } from "./entry-points.ts"
export { renderManual } from "./help/manual.ts"
export type { Renderers } from "./render/renderer.ts"
