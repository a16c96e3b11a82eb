import {
  type CallContext,
  type Handlers,
  isRoleEnough,
  type peopleOperations,
} from "#ground/contract"
import type { ChangedBy, People } from "./people.ts"

type PeopleHandlerDeps = {
  people(): Promise<People>
  /** Address of the server in an invitation; empty if none is known. */
  serverUrl(): Promise<string>
}

export const peopleHandlers = ({
  people,
  serverUrl,
}: PeopleHandlerDeps): Handlers<typeof peopleOperations> => ({
  list: async (_, context) => ({ people: [...(await (await people()).list(onlySelf(context)))] }),
  async invite(input, context) {
    const { secret, ...invitation } = await (await people()).invite(input, changedBy(context))
    return { ...invitation, link: `${await serverUrl()}/#t=${secret}` }
  },
  role: async (input, context) => (await people()).setRole(input, changedBy(context)),
  revoke: async (input, context) => (await people()).revoke(input, changedBy(context)),
  issue: async (input, context) => (await people()).issue(input, changedBy(context)),
  async tokens({ name }, context) {
    const onlyId = onlySelf(context)
    return { tokens: await (await people()).tokens({ name, ...(onlyId && { onlyId }) }) }
  },
  withdraw: async ({ id }, context) => (await people()).withdraw(id, changedBy(context)),
  log: async (filter) => (await people()).log(filter),
})

/** Others than owners see themselves. */
function onlySelf({ caller }: CallContext): string | undefined {
  const person = caller?.person
  return person === undefined || isRoleEnough(person.role, "owner") ? undefined : person.id
}

function changedBy({ caller }: CallContext): ChangedBy {
  return { person: caller?.person, via: viaOf(caller) }
}

/** The surface of a call, for the audit log. */
export function viaOf(caller: CallContext["caller"]): string {
  if (caller === undefined) return "cli"
  return caller.client === undefined ? "http" : "mcp"
}
