import type { McpServer } from "../host.ts"
import { fieldsOf, isFields, textsOf } from "../record.ts"
import type { CodexConfig, ConfigFile } from "./config.ts"

/** The servers of every config file; one that a stronger file names again is hidden by it. */
export function mcpServers(config: CodexConfig): readonly McpServer[] {
  const seen = new Set<string>()
  return config.files.flatMap((file) =>
    Object.entries(fieldsOf(file.values["mcp_servers"])).flatMap(([name, given]) => {
      if (!isFields(given)) return []
      const isHidden = seen.has(name)
      if (file.counts) seen.add(name)
      return [serverOf(name, file, { given, isHidden })]
    }),
  )
}

function serverOf(
  name: string,
  file: ConfigFile,
  it: { readonly given: Readonly<Record<string, unknown>>; readonly isHidden: boolean },
): McpServer {
  const { command, url, args, enabled } = it.given
  const isRemote = typeof url === "string"
  const words = [command, ...(textsOf(args) ?? [])].filter((word) => typeof word === "string")
  return {
    name,
    scope: file.layer,
    path: file.path,
    trust: file.trust,
    transport: isRemote ? "http" : "stdio",
    target: isRemote ? url : words.join(" "),
    state: stateOf({ isTrusted: file.counts, isHidden: it.isHidden, enabled }),
  }
}

function stateOf(it: {
  readonly isTrusted: boolean
  readonly isHidden: boolean
  readonly enabled: unknown
}): string {
  if (!it.isTrusted) return "waits for trust"
  if (it.isHidden) return "hidden by a stronger config"
  return it.enabled === false ? "disabled in the config" : "connects"
}
