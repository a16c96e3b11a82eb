import path from "node:path"
import { asSkill, type KitHostForm, type Machine, withHead } from "./host.ts"

const NO_HOOKS = "qm installs no hooks into Copilot yet"

/**
 * Seen on 1.0.102: Copilot reads MCP servers of the user from `mcp-config.json`. With more than about 30
 * tools it defers their definitions, unless the server's entry says otherwise.
 */
export const copilot: KitHostForm = {
  host: "copilot",
  title: "Copilot",
  folder,
  settings: (machine) => ({
    path: path.join(folder(machine), "mcp-config.json"),
    container: "mcpServers",
  }),
  events: {
    boot: null,
    track: null,
    drift: null,
    concurrency: null,
    risk: null,
    pitfall: null,
    package: null,
    loaded: null,
    window: null,
    budget: null,
    secrets: null,
    prompt: null,
    guideline: null,
    results: null,
    compaction: null,
  },
  without: {
    boot: NO_HOOKS,
    track: NO_HOOKS,
    drift: NO_HOOKS,
    concurrency: NO_HOOKS,
    risk: NO_HOOKS,
    pitfall: NO_HOOKS,
    package: NO_HOOKS,
    loaded: NO_HOOKS,
    window: NO_HOOKS,
    budget: NO_HOOKS,
    secrets: NO_HOOKS,
    prompt: NO_HOOKS,
    guideline: NO_HOOKS,
    results: NO_HOOKS,
    compaction: NO_HOOKS,
  },
  entries: () => [],
  server: ({ node, main }) => ({
    type: "local",
    command: node,
    args: [main, "mcp"],
    tools: ["*"],
    deferTools: "never",
  }),
  // Its agents get the server from `mcp-config.json`, and all tools, because its names differ.
  project(template, machine) {
    const { kind, name, description, body } = template
    if (kind !== "agent") return asSkill(path.join(folder(machine), "skills"), template)
    const at = path.join(folder(machine), "agents", `qm-${name}.agent.md`)
    return { path: at, text: withHead({ name: `qm-${name}`, description }, body) }
  },
  bootFile: null,
  next: null,
}

function folder({ userHome, environment }: Machine): string {
  const own = environment["COPILOT_HOME"]
  return own ? path.resolve(own) : path.join(userHome, ".copilot")
}
