export type { Sources, SourcesDeps } from "./sources.ts"
export { createSources } from "./sources.ts"
export type { WebQuestion } from "./web-search.ts"
