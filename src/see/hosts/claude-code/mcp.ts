import path from "node:path"
import { isRecord } from "#ground/base"
import { belongsTo } from "../files/file-trust.ts"
import { launchOf } from "../files/json-settings.ts"
import type { HostItem, McpServer, Scope } from "../host.ts"
import { SETTINGS_LIMIT_BYTES } from "../limits.ts"
import { configItem } from "../source.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"
import type { ClaudeContext } from "./instructions/instructions.ts"
import { parseSettingsJson, textsIn, within } from "./settings.ts"
import { SOURCES } from "./sources.ts"

export type McpSurvey = {
  readonly items: readonly HostItem[]
  readonly servers: readonly McpServer[]
}

/**
 * MCP servers of managed files, of the user, of this project's private list, and of `.mcp.json` in
 * the working directory and all folders above, also above the repository.
 */
export async function readMcp(context: ClaudeContext, reader: SurveyReader): Promise<McpSurvey> {
  const { folders, state, stateTrust } = context
  const managedFile = path.join(folders.managed, "managed-mcp.json")
  const ofFolder = (it: string) => ({ path: path.join(it, ".mcp.json"), scope: "project" }) as const
  const files = [
    { path: managedFile, scope: "managed" } as const,
    ...folders.walk.toReversed().map(ofFolder),
  ]
  const items: HostItem[] = []
  const servers: McpServer[] = []
  for (const file of files) {
    const read = await reader.read(file.path, {
      source: SOURCES.mcpConfig.source,
      maxBytes: SETTINGS_LIMIT_BYTES,
    })
    if (read === undefined) continue
    const reached = { realPath: read.realPath, scope: file.scope, foundAt: file.path }
    const trust = belongsTo(reached, folders.grounds)
    items.push(mcpItem(file, read, trust))
    servers.push(...serversOf(parsed(file.path, read, reader), { ...file, trust }))
  }
  const own = { path: folders.stateFile, scope: "user", trust: stateTrust }
  const local = { path: folders.stateFile, scope: "local", trust: stateTrust }
  const all = [
    ...servers.filter((it) => it.scope === "managed"),
    ...serversOf(within(state, "projects", folders.cwd, "mcpServers"), local),
    ...servers.filter((it) => it.scope !== "managed"),
    ...serversOf(within(state, "mcpServers"), own),
  ]
  return { items, servers: withStates(all, context) }
}

function mcpItem(
  { path: at, scope }: { readonly path: string; readonly scope: Scope },
  file: ReadFile,
  trust: HostItem["trust"],
): HostItem {
  return { ...configItem({ path: at, file, trust }, SOURCES.mcpConfig, scope), kind: "mcp" }
}

function parsed(file: string, read: ReadFile, reader: SurveyReader): unknown {
  const outcome = parseSettingsJson(read.bytes.toString())
  if (outcome.kind === "record") return outcome.record["mcpServers"]
  const text = `The host ignores the servers in this file: ${outcome.problem}.`
  reader.note({ code: "settings-broken", text, path: file })
  return undefined
}

function serversOf(
  value: unknown,
  file: Pick<McpServer, "path" | "scope" | "trust">,
): readonly McpServer[] {
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, server]) =>
    isRecord(server) ? [{ name, ...file, ...reachedBy(server), state: "connects" }] : [],
  )
}

function reachedBy(server: Readonly<Record<string, unknown>>) {
  const { command, url, type } = server
  const launch = launchOf(typeof command === "string" ? { ...server, url: undefined } : server)
  if (typeof command === "string") {
    return { transport: "stdio", target: [command, ...textsIn(server["args"])].join(" "), launch }
  }
  return {
    transport: typeof type === "string" ? type : "http",
    target: typeof url === "string" ? url : "",
    launch,
  }
}

function withStates(servers: readonly McpServer[], context: ClaudeContext): readonly McpServer[] {
  const isManagedOnly = servers.some((it) => it.scope === "managed")
  const usedNames = new Set<string>()
  return servers.map((server) => {
    const isFirst = !usedNames.has(server.name)
    const state =
      isManagedOnly && server.scope !== "managed" ? "blocked by policy" : stateOf(server, context)
    if (state === "connects" || state === "asks first") usedNames.add(server.name)
    return { ...server, state: isFirst ? state : "overridden by a server of the same name" }
  })
}

function stateOf(server: McpServer, { settings, state, folders }: ClaudeContext): string {
  const switched = textsIn(within(state, "projects", folders.cwd, "disabledMcpServers"))
  if (switched.includes(server.name)) return "switched off"
  if (server.scope !== "project") return "connects"
  if (settings.texts("disabledMcpjsonServers").includes(server.name)) return "disabled in settings"
  const isAllowed =
    settings.value("enableAllProjectMcpServers") === true ||
    settings.texts("enabledMcpjsonServers").includes(server.name)
  // Without a terminal the host connects without asking.
  return isAllowed ? "connects" : "asks first"
}
