import { defineOperation, SIGNATURES } from "#ground/contract"
import { createProof, type ProofDeps } from "./proof.ts"

/** From the command line only: they read any folder that is named, and take minutes. */
export function proofOperations(deps: ProofDeps) {
  const proof = createProof(deps)
  return [
    defineOperation({
      name: "bench.recall",
      summary: "Measure how well files and edited lines of past commits are found",
      effect: "read",
      surfaces: ["cli"],
      ...SIGNATURES["bench.recall"],
      run: (input, context) => proof.recall(input, context),
    }),
    defineOperation({
      name: "bench.scan",
      summary: "Measure how fast a tree is indexed, beside other tools that are installed",
      effect: "read",
      surfaces: ["cli"],
      ...SIGNATURES["bench.scan"],
      run: (input, context) => proof.scan(input, context),
    }),
  ] as const
}
