export { createMcp } from "./mcp.ts"
export type { McpCall } from "./stdio.ts"
export { serveMcpOnStdio } from "./stdio.ts"
export { toolsOf } from "./tools/tools.ts"
