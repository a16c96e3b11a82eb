import type { foldOperations, Handlers } from "#ground/contract"
import type { Fold } from "./fold.ts"
import { TERMINAL } from "./world.ts"

type Deps = { fold(): Promise<Fold> }

export const foldHandlers = ({ fold }: Deps): Handlers<typeof foldOperations> => ({
  branch: async (input, { caller = TERMINAL }) => (await fold()).branch(input, caller),
  return: async (input, { caller = TERMINAL }) => (await fold()).return(input, caller),
  status: async (input, { caller = TERMINAL }) => (await fold()).status(input, caller),
  read: async (input, { caller = TERMINAL }) => (await fold()).read(input, caller),
  charge: async (input, { caller = TERMINAL }) => (await fold()).charge(input, caller),
  end: async (input, { caller = TERMINAL }) => ({
    ended: await (await fold()).end(input.sessionId ?? "", caller),
  }),
  list: async (input) => (await fold()).list(input),
  tree: async (input) => (await fold()).tree(input),
  show: async (input) => (await fold()).show(input),
  search: async (input) => (await fold()).search(input),
  restore: async (input) => (await fold()).restore(input),
})
