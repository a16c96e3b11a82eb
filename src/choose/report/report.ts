import type {
  auditOperations,
  CallContext,
  Handlers,
  reportOperations,
  Ticket,
} from "#ground/contract"
import { auditApi } from "./code/api.ts"
import { auditDebt } from "./code/debt.ts"
import { auditDeps } from "./code/deps.ts"
import { auditSecurity } from "./code/security.ts"
import { planTests } from "./code/test-plan.ts"
import type { ReportDeps } from "./deps.ts"
import { draftChanges } from "./work/changes.ts"
import { planRoadmap, planWeek } from "./work/plan.ts"
import { reportRetro } from "./work/retro.ts"
import { checkSignOff, showState } from "./work/state.ts"

const MOST_TICKETS = 2_000

export const auditHandlers = (deps: ReportDeps): Handlers<typeof auditOperations> => ({
  debt: (input, context) => auditDebt(input, context, deps),
  deps: (_, context) => auditDeps(context, deps),
  security: (input, context) => auditSecurity(input, context, deps),
  api: (input, context) => auditApi(input, context, deps),
  tests: (input, context) => planTests(input, context, deps),
})

export const reportHandlers = (deps: ReportDeps): Handlers<typeof reportOperations> => ({
  state: (_, context: CallContext) => showState(context, deps),
  changes: (input, context) => draftChanges(input, context, deps),
  retro: (input, context) => reportRetro(input, context, deps),
  week: async (input) => planWeek(await ticketsOf(deps), { ...input, now: deps.clock.now() }),
  roadmap: async () => planRoadmap(await ticketsOf(deps)),
  signoff: (input, context) => checkSignOff(input, context, deps),
})

async function ticketsOf({ board }: ReportDeps): Promise<readonly Ticket[]> {
  return (await (await board()).show({ lane: undefined, limit: MOST_TICKETS })).tickets
}
