import path from "node:path"
import { asSkill, type KitHostForm, type Machine, withHead } from "./host.ts"

const NO_EVENT = "opencode has no event for this hook"

/**
 * Seen on 1.18.33: opencode loads each file of `plugin/` in its config folder at start. Ours adds the
 * MCP server `qm` as well, so no settings file is changed (decision 0048).
 */
export const opencode: KitHostForm = {
  host: "opencode",
  title: "opencode",
  folder,
  settings: (machine) => ({ path: pluginFile(machine), container: "plugin" }),
  events: {
    boot: "chat.message",
    track: "tool.execute.after",
    drift: null,
    concurrency: "tool.execute.before",
    guideline: "tool.execute.before",
    risk: "tool.execute.before",
    pitfall: "tool.execute.before",
    package: "chat.message",
    prompt: "chat.message",
    loaded: null,
    window: null,
    budget: "tool.execute.before",
    secrets: "tool.execute.before",
    results: "tool.execute.after",
    compaction: "experimental.session.compacting",
  },
  without: {
    drift: "a plugin of opencode learns of a stop only after it",
    loaded: NO_EVENT,
    window: "only the status line of Claude Code reports how full the window is",
  },
  entries: () => [],
  plugin: (machine, { code, ...installed }) => ({
    path: pluginFile(machine),
    text: `// Written by qm init, removed by qm uninstall.\nconst QM_INSTALLED = ${JSON.stringify(installed)};\n${code.trimEnd()}\n`,
  }),
  project(template, machine) {
    const { kind, name, description, body } = template
    if (kind === "skill" || kind === "playbook")
      return asSkill(path.join(folder(machine), "skills"), template)
    const at = path.join(folder(machine), kind, `qm-${name}.md`)
    const mode = kind === "agent" ? { mode: "subagent" } : {}
    return { path: at, text: withHead({ description, ...mode }, body) }
  },
  bootFile: null,
  next: "opencode loads the plugin at its next start.",
}

function pluginFile(machine: Machine): string {
  return path.join(folder(machine), "plugin", "quartermaster.js")
}

function folder({ userHome, environment }: Machine): string {
  const base = environment["XDG_CONFIG_HOME"]
  return path.join(base ? path.resolve(base) : path.join(userHome, ".config"), "opencode")
}
