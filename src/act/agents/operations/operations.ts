import type { Approval, Provider } from "#ground/contract"
import type { Agents } from "../agents.ts"
import { readingOperations } from "./read-operations.ts"
import { sessionOperations } from "./session-operations.ts"
import { writingOperations } from "./write-operations.ts"

/** The room is made when it is first asked for: it needs the store. */
export type AgentsOperationDeps = {
  agents(): Promise<Agents>
  /** The agents there are, and which of them are on this machine. */
  providers(): Promise<readonly Provider[]>
  /** Writes the rule that makes an answer last. */
  keepRule(approval: Approval): Promise<void>
}

export function agentsOperations(deps: AgentsOperationDeps) {
  return [
    ...readingOperations(deps),
    ...writingOperations(deps),
    ...sessionOperations(deps),
  ] as const
}
