export type { App, AppOptions } from "./app.ts"
export { createApp } from "./app.ts"
export { describeOperations } from "./operations.ts"
export { versions } from "./versions.ts"
