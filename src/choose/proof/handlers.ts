import type { benchOperations, Handlers } from "#ground/contract"
import { createProof, type ProofDeps } from "./proof.ts"

export function benchHandlers(deps: ProofDeps): Handlers<typeof benchOperations> {
  const proof = createProof(deps)
  return {
    recall: (input, context) => proof.recall(input, context),
    scan: (input, context) => proof.scan(input, context),
  }
}
