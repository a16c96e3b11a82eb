/** How hosts name tools of our own MCP server. */
export function isOwnTool(tool: string): boolean {
  return /^mcp__(?:plugin_)?(?:qm|quartermaster)(?:_|$)/i.test(tool)
}
