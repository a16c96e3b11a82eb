export { benchHandlers } from "./proof.ts"
