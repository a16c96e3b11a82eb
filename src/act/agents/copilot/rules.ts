import type { PermissionRule } from "#ground/contract"
import type { StartOptions } from "../agent.ts"

type RuleSwitches = { readonly switches: readonly string[]; readonly isWhole: boolean }

/**
 * The host cannot ask, so its own switches deny everything that rules deny or want to ask. They
 * override every mode and support no file patterns.
 */
export function ruleSwitches({
  restricting = [],
}: Pick<StartOptions, "restricting">): RuleSwitches {
  if (restricting === "unknown") return { switches: [], isWhole: false }
  const switches = restricting.map(switchFor)
  return {
    switches: switches.filter((it) => it !== undefined),
    isWhole: switches.every((it) => it !== undefined),
  }
}

function switchFor(rule: PermissionRule): string | undefined {
  const { tool, command, path: glob } = rule
  if (command !== undefined && glob !== undefined) return undefined
  if (command !== undefined) return commandSwitch(tool, command)
  if (glob !== undefined) return pathSwitch(tool, glob)
  return tool === undefined ? undefined : toolSwitch(tool)
}

const COMMANDS: ReadonlySet<string> = new Set(["*", "Bash", "PowerShell", "exec_command", "bash"])
const EDITS: ReadonlySet<string> = new Set(
  "* Edit MultiEdit Write NotebookEdit apply_patch create edit str_replace".split(" "),
)

/** The host matches the beginning of a command, also after `&&`. */
function commandSwitch(tool: string | undefined, command: string): string | undefined {
  const isOfCommands = tool === undefined || COMMANDS.has(tool)
  const begin = command.replace(/\*$/, "").trim()
  if (command === "*" && isOfCommands) return "--deny-tool=shell"
  const isPlain = /^[\w./@=+-]+(?: [\w./@=+-]+)*$/.test(begin)
  return isOfCommands && isPlain ? `--deny-tool=shell(${begin}:*)` : undefined
}

/** A relative name is denied in every folder that ends with it. */
function pathSwitch(tool: string | undefined, glob: string): string | undefined {
  const isOfEdits = tool === undefined || EDITS.has(tool)
  const isPlain = /^[\w./@ +-]+$/.test(glob)
  return isOfEdits && isPlain ? `--deny-tool=write(${glob})` : undefined
}

function toolSwitch(tool: string): string | undefined {
  if (tool === "*") return undefined
  if (COMMANDS.has(tool)) return "--deny-tool=shell"
  if (EDITS.has(tool)) return "--deny-tool=write"
  const [, server, of] = /^mcp__([\w.-]{1,500}?)(?:__([\w.-]{1,500}|\*))?$/.exec(tool) ?? []
  if (server !== undefined) {
    return of === undefined || of === "*" ? `--deny-tool=${server}` : `--deny-tool=${server}(${of})`
  }
  return /^[\w.-]+$/.test(tool) ? `--excluded-tools=${tool}` : undefined
}
