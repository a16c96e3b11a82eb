import type { decisionOperations, Handlers } from "#ground/contract"
import { decisionBody } from "#know/memory"
import type { OperationDeps } from "../operations.ts"

export const decisionHandlers = ({
  memory,
}: OperationDeps): Handlers<typeof decisionOperations> => ({
  add: async ({ title, context, decision, consequences, cites }, { caller }) =>
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
  list: async ({ limit }) => (await memory()).list({ kind: "decision", limit }),
  show: async (input) => (await memory()).show(input),
})
