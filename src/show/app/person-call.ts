import { isAppError, isRecord } from "#ground/base"
import type { CallContext, CallingPerson, Operation } from "#ground/contract"
import type { AuditRecord } from "#ground/people"
import type { Services } from "./services.ts"

type PersonCall = {
  readonly operation: Operation
  readonly input: unknown
  readonly context: CallContext
  readonly person: CallingPerson
}

type PersonCallDeps = Pick<Services, "config" | "people" | "store">

/**
 * Calls an operation for a person of the store: refused below its role or above a quota, and
 * recorded if it writes.
 */
export async function callForPerson(
  call: PersonCall,
  run: () => Promise<unknown>,
  deps: PersonCallDeps,
): Promise<unknown> {
  const { operation, person } = call
  const { refuseAboveQuota, refuseRole, RoleTooLow } = await import("#ground/people")
  const isRecorded = operation.effect === "write"
  try {
    // Before the input is read, so that a refusal does not depend on it.
    refuseRole(operation, {}, person)
    const quotas = deps.config().team
    await refuseAboveQuota(operation, person, {
      quotas,
      db: async () => (await deps.store()).db,
    })
    const output = await run()
    // Changes of people are recorded in their own transaction.
    const isOwnRecord = operation.name.startsWith("people.")
    if (isRecorded && !isOwnRecord) await record(call, { outcome: "done", output }, deps)
    return output
  } catch (error) {
    if (isRecorded) {
      const outcome = RoleTooLow.is(error) ? "denied" : "failed"
      const code = isAppError(error) ? error.code : "BUG"
      await record(call, { outcome, code }, deps)
    }
    throw error
  }
}

type Ending = Pick<AuditRecord, "code" | "outcome"> & { readonly output?: unknown }

async function record(
  { operation, input, context, person }: PersonCall,
  { output, ...ending }: Ending,
  deps: PersonCallDeps,
): Promise<void> {
  const { viaOf } = await import("#ground/people")
  const ids = [...new Set([...idsIn(input), ...idsIn(output)])].slice(0, MOST_IDS)
  const people = await deps.people()
  await people.record({ person, via: viaOf(context.caller), operation: operation.name, ids, ...ending })
}

const MOST_IDS = 10

/** As `createIds` makes them. */
const OWN_ID = /^[a-z]{1,8}_[0-9a-z]{19}$/
/** Of tickets, plans and other files; a field of this name is no text. */
const NAMED_ID = /^[\w.:-]{1,80}$/

/** Ids only: everything else of an input or output may be a text or a secret. */
function idsIn(value: unknown): readonly string[] {
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([field, it]) =>
    [it]
      .flat()
      .filter((text): text is string => typeof text === "string")
      .filter((text) => OWN_ID.test(text) || (field === "id" && NAMED_ID.test(text))),
  )
}
