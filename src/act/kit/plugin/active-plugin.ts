import path from "node:path"
import { isRecord, parseJson, readTextBounded, statFile } from "#ground/base"
import type { KitHost } from "#ground/contract"
import type { Machine } from "../hosts/host.ts"
import { HOST_FORMS } from "../hosts/hosts.ts"
import { LARGEST_SETTINGS_BYTES } from "../limits.ts"

export const PLUGIN_NAME = "qm"
export const MARKETPLACE_NAME = "quartermaster"
export const PLUGIN_ID = `${PLUGIN_NAME}@${MARKETPLACE_NAME}`

/**
 * The hosts in which the user has installed and enabled our plugin for all projects. A plugin that is
 * enabled in one project does not count, because the user's other repositories need hooks too; next
 * to hooks of `qm init` it is silent.
 */
export async function findActivePlugins(machine: Machine): Promise<ReadonlySet<KitHost>> {
  const active = new Set<KitHost>()
  if (await isActiveInClaudeCode(machine)) active.add("claude-code")
  if (await isActiveInCodex(machine)) active.add("codex")
  return active
}

async function isActiveInClaudeCode(machine: Machine): Promise<boolean> {
  const folder = HOST_FORMS["claude-code"].folder(machine)
  const settings = parseJson(await textOf(path.join(folder, "settings.json")))
  if (fieldOf(fieldOf(settings, "enabledPlugins"), PLUGIN_ID) !== true) return false
  const installed = parseJson(await textOf(path.join(folder, "plugins", "installed_plugins.json")))
  return fieldOf(fieldOf(installed, "plugins"), PLUGIN_ID) !== undefined
}

async function isActiveInCodex(machine: Machine): Promise<boolean> {
  const folder = HOST_FORMS.codex.folder(machine)
  const cache = path.join(folder, "plugins", "cache", MARKETPLACE_NAME, PLUGIN_NAME)
  if ((await statFile(cache)).kind !== "found") return false
  const config = await parseToml(await textOf(path.join(folder, "config.toml")))
  const plugin = fieldOf(fieldOf(config, "plugins"), PLUGIN_ID)
  return isRecord(plugin) && plugin["enabled"] !== false
}

/** A file that cannot be read enables nothing. */
async function textOf(file: string): Promise<string> {
  const read = await readTextBounded(file, { maxBytes: LARGEST_SETTINGS_BYTES })
  return read.kind === "read" ? read.text : ""
}

/** Loaded lazily, because every command of qm loads this room. */
async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import("smol-toml")
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}
