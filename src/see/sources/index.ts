export type { ListedServer, ServerTools } from "./list-tools.ts"
export { listServerTools } from "./list-tools.ts"
export type { Sources } from "./sources.ts"
export { createSources } from "./sources.ts"
