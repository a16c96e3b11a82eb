import type { Handlers, sourceOperations } from "#ground/contract"
import type { Sources } from "./sources.ts"

type HandlerDeps = { sources(): Promise<Sources> }

export const sourceHandlers = ({ sources }: HandlerDeps): Handlers<typeof sourceOperations> => ({
  list: async () => ({ sources: [...(await (await sources()).list())] }),
  test: async ({ slug }, { signal }) => (await sources()).test(slug, signal),
  approve: async ({ slug, digest }, { signal }) => (await sources()).approve(slug, digest, signal),
})
