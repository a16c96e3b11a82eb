import { defineOperation, SIGNATURES } from "#ground/contract"
import { decisionBody } from "#know/memory"
import type { OperationDeps } from "../operations.ts"

const surfaces = ["cli", "http"] as const

/** Decisions are memories of one kind, with the parts that a record of a decision has. */
export function decisionOperations({ memory }: OperationDeps) {
  return [
    defineOperation({
      name: "decision.add",
      summary: "Write down a decision: what made it necessary, what it is, what follows",
      effect: "write",
      surfaces,
      ...SIGNATURES["decision.add"],
      run: async ({ title, context, decision, consequences, cites }, { caller }) =>
        (await memory()).record(
          {
            kind: "decision",
            title,
            description: "",
            body: decisionBody({ context, decision, consequences }),
            cites,
            untrusted: false,
          },
          caller,
        ),
    }),
    defineOperation({
      name: "decision.list",
      summary: "List decisions, newest first",
      effect: "read",
      surfaces,
      ...SIGNATURES["decision.list"],
      run: async ({ limit }) => (await memory()).list({ kind: "decision", limit }),
    }),
    defineOperation({
      name: "decision.show",
      summary: "Show one decision, checked against the code of now",
      effect: "read",
      surfaces,
      ...SIGNATURES["decision.show"],
      run: async (input) => (await memory()).show(input),
    }),
  ] as const
}
