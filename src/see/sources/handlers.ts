import type { Handlers, sourceOperations } from "#ground/contract"
import { parseArguments } from "./call-tool.ts"
import type { Sources } from "./sources.ts"

type HandlerDeps = { sources(): Promise<Sources> }

export const sourceHandlers = ({ sources }: HandlerDeps): Handlers<typeof sourceOperations> => ({
  list: async ({ session }) => ({ sources: [...(await (await sources()).list(session))] }),
  test: async ({ slug }, { signal }) => (await sources()).test(slug, signal),
  approve: async ({ slug, digest }, { signal }) => (await sources()).approve(slug, digest, signal),
  tools: async ({ slug, sessionId }, { signal, caller }) =>
    (await sources()).tools(slug, { signal, caller, sessionId }),
  async call({ slug, tool, args: text, sessionId }, { signal, caller }) {
    const args = parseArguments(slug, tool, text)
    return (await sources()).call(slug, { tool, args }, { signal, caller, sessionId })
  },
  login: async ({ slug, wait: isWaiting }, { signal }) =>
    (await sources()).login(slug, { signal, isWaiting }),
  logout: async ({ slug }) => (await sources()).logout(slug),
  templates: async ({ template }) => ({
    templates: [...(await (await sources()).templates(template))],
  }),
  add: async (request, { signal }) => (await sources()).add(request, signal),
  switch: async ({ slug, session, state }) =>
    (await sources()).switch(slug, session, state === "on"),
})
