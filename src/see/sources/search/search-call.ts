import type { ToolShape } from "../wire/connection.ts"

const QUERY_NAMES = ["query", "q", "search_query", "searchQuery", "search"]
/** Ambiguous: used only for the tool that the config names. */
const VAGUE_NAMES = ["text", "input"]
const LIMIT_NAMES = ["limit", "count", "max_results", "maxResults", "num_results", "numResults"]

export type SearchCall = { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }

export function searchCall(
  tools: readonly ToolShape[],
  request: { readonly query: string; readonly limit: number; readonly tool?: string | undefined },
): SearchCall | undefined {
  const fitting = tools.filter((it) => queryNameOf(it) !== undefined)
  const tool =
    request.tool === undefined
      ? (fitting.find((it) => /search/i.test(it.name)) ?? fitting[0])
      : tools.find((it) => it.name === request.tool)
  if (tool === undefined) return undefined
  const queryName = queryNameOf(tool) ?? VAGUE_NAMES.find((it) => hasProperty(tool, it))
  const limitName = LIMIT_NAMES.find((it) => hasProperty(tool, it))
  return {
    tool: tool.name,
    args: {
      [queryName ?? "query"]: request.query,
      ...(limitName !== undefined && { [limitName]: allowed(tool, limitName, request.limit) }),
    },
  }
}

function queryNameOf(tool: ToolShape): string | undefined {
  return QUERY_NAMES.find((it) => hasProperty(tool, it))
}

function hasProperty(tool: ToolShape, name: string): boolean {
  return propertyOf(tool, name) !== undefined
}

function propertyOf(tool: ToolShape, name: string): object | undefined {
  const { properties } = tool.inputSchema
  if (typeof properties !== "object" || properties === null) return undefined
  if (!Object.hasOwn(properties, name)) return undefined
  const property: unknown = Object.entries(properties).find(([it]) => it === name)?.[1]
  return typeof property === "object" && property !== null ? property : {}
}

/** Limited to the tool's maximum: some refuse a larger number. */
function allowed(tool: ToolShape, name: string, limit: number): number {
  const property = propertyOf(tool, name) ?? {}
  const most = "maximum" in property ? property.maximum : undefined
  return typeof most === "number" ? Math.min(limit, most) : limit
}
