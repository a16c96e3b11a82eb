export type { Command, Flag } from "./command.ts"
export { BUILT_IN_COMMANDS, COMMAND_GROUPS, GLOBAL_FLAGS } from "./command.ts"
export { buildCommandIndex, commandIndexSource } from "./command-index.ts"
