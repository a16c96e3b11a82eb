import type {
  CallContext,
  CaptureAdvice,
  Handlers,
  SessionLedger,
  sessionsOperations,
} from "#ground/contract"
import type { SessionIndex } from "./sessions.ts"

type HandlerDeps = {
  sessionIndex(): Promise<SessionIndex>
  /** The main root of the repository at a path given by the user. */
  repositoryAt(path: string): Promise<string>
  /** Stores that the user agreed to index all sessions of this machine. */
  agreeToAll(context: CallContext): Promise<void>
  startAdvice(context: CallContext): Promise<StartAdvice>
  /** Null if no hook reported the session in this repository. */
  ledgerOf(session: string, context: CallContext): Promise<SessionLedger | null>
}

type StartAdvice = {
  readonly advice: readonly CaptureAdvice[]
  readonly problems: string[]
}

export const sessionsHandlers = (deps: HandlerDeps): Handlers<typeof sessionsOperations> => ({
  list: async (input, context) =>
    (await deps.sessionIndex()).list(await located(input, deps), context),
  async show(input, context) {
    const shown = await (await deps.sessionIndex()).show(input, context)
    return { ...shown, ledger: await deps.ledgerOf(shown.session.id, context) }
  },
  lines: async (input) => (await deps.sessionIndex()).lines(input),
  search: async (input, context) =>
    (await deps.sessionIndex()).search(await located(input, deps), context),
  context: async (input, context) => (await deps.sessionIndex()).context(input, context),
  async import({ all }, context) {
    if (all) await deps.agreeToAll(context)
    return (await deps.sessionIndex()).import({ scope: all ? "machine" : "repository" }, context)
  },
  cost: async (input, context) =>
    (await deps.sessionIndex()).cost(await located(input, deps), context),
  async waste({ since }, context) {
    const { advice, problems } = await deps.startAdvice(context)
    return { ...(await (await deps.sessionIndex()).waste({ since, advice }, context)), problems }
  },
  async apply({ finding: id }, context) {
    const { advice } = await deps.startAdvice(context)
    return { fix: await (await deps.sessionIndex()).applyFix({ id, advice }) }
  },
  async undo({ fix: id }) {
    return { id, file: await (await deps.sessionIndex()).undoFix(id) }
  },
  async dismiss({ finding: id, restore }) {
    const index = await deps.sessionIndex()
    await (restore ? index.restoreFinding(id) : index.dismissFinding(id))
    return { id, isDismissed: !restore }
  },
})

async function located<Input extends { readonly repository?: string | undefined }>(
  input: Input,
  deps: HandlerDeps,
): Promise<Input> {
  if (input.repository === undefined) return input
  return { ...input, repository: await deps.repositoryAt(input.repository) }
}
