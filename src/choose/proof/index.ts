export { proofOperations } from "./operations.ts"
export type { ProofDeps } from "./proof.ts"
