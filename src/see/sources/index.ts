export type { Sources } from "./sources.ts"
export { createSources } from "./sources.ts"
