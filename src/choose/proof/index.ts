export { proofOperations } from "./operations.ts"
