import type { CallContext, Handlers, KbWeb, kbOperations } from "#ground/contract"
import type { Knowledge } from "./knowledge.ts"

export type KbHandlerDeps = {
  knowledge(): Promise<Knowledge>
  web(input: { query: string; limit: number }, context: CallContext): Promise<KbWeb>
  /** Resolves a path to an absolute one without links; throws if it may not be read. */
  place(path: string): Promise<string>
  /** Like `place`, for a path that may no longer exist. */
  called(path: string): Promise<string>
}

export const kbHandlers = ({
  knowledge,
  place,
  called,
  web,
}: KbHandlerDeps): Handlers<typeof kbOperations> => ({
  add: async ({ path, ...request }, context) =>
    (await knowledge()).add({ ...request, path: await place(path) }, context),
  remove: async ({ path }) => (await knowledge()).remove({ path: await called(path) }),
  status: async () => (await knowledge()).status(),
  documents: async (input) => (await knowledge()).documents(input),
  search: async (input, context) => (await knowledge()).search(input, context),
  paragraph: async (input) => (await knowledge()).paragraph(input),
  original: async (input) => (await knowledge()).original(input),
  web: (input, context) => web(input, context),
  hop: async (input) => (await knowledge()).hop(input),
  trace: async (input) => (await knowledge()).trace(input),
  context: async (input) => (await knowledge()).context(input),
  entities: async (input) => (await knowledge()).entities(input),
  citations: async (input) => (await knowledge()).citations(input),
  relations: async (input) => (await knowledge()).relations(input),
  contradictions: async (input) => (await knowledge()).contradictions(input),
})
