export { benchHandlers } from "./handlers.ts"
