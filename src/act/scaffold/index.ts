export type { ScaffoldDeps } from "./scaffold.ts"
export { scaffoldHandlers } from "./scaffold.ts"
