import type { Caller, Handlers, planOperations } from "#ground/contract"
import { NoSession } from "./errors.ts"
import type { Plans } from "./plans.ts"

type PlanHandlerDeps = { plans(): Promise<Plans> }

const USER = "the user"

export const planHandlers = ({ plans }: PlanHandlerDeps): Handlers<typeof planOperations> => ({
  list: async (filter) => (await plans()).list(filter),
  show: async ({ id }) => (await plans()).show(id),
  submit: async (plan, { caller }) =>
    (await plans()).submit({ ...plan, session: caller?.session ?? null }),
  tick: async ({ id, steps, undo }) => (await plans()).tick(id, steps, !undo),
  answer: async ({ id, decision, feedback }, { caller }) =>
    (await plans()).answer(id, { decision, feedback, by: caller?.person?.name ?? caller?.principal ?? USER }),
  archive: async ({ id }) => (await plans()).archive(id),
  state: async ({ session, ...change }, { caller }) =>
    (await plans()).notes(sessionOf(session, caller), {
      key: change.key,
      value: change.value,
      remove: change.remove,
    }),
})

function sessionOf(named: string | undefined, caller: Caller | undefined): string {
  const session = named ?? caller?.session
  if (session === undefined || session === "") throw NoSession({})
  return session
}
