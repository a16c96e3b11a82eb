import type { McpServer } from "./host.ts"
import type { JsonFile } from "./json-settings.ts"
import { fieldsOf, isFields, textsOf } from "./record.ts"

/** The servers under `mcpServers` of a file; who reads them says what state they are in. */
export function jsonMcpServers(
  { path, values, trust }: Pick<JsonFile, "path" | "values"> & Pick<McpServer, "trust">,
  scope: string,
  stateOf: (name: string) => string,
): readonly McpServer[] {
  return Object.entries(fieldsOf(values["mcpServers"])).flatMap(([name, given]) => {
    if (!isFields(given)) return []
    const url = [given["url"], given["httpUrl"], given["serverUrl"]].find(isText)
    const words = [given["command"], ...(textsOf(given["args"]) ?? [])].filter(isText)
    const transport = url === undefined ? "stdio" : transportOf(given["type"])
    const target = url ?? words.join(" ")
    return [{ name, scope, path, trust, transport, target, state: stateOf(name) }]
  })
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

function transportOf(type: unknown): string {
  return type === "sse" ? "sse" : "http"
}
