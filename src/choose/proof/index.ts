export { openBench } from "./bench.ts"
export { benchHandlers } from "./proof.ts"
