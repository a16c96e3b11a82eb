import { defineOperation, SIGNATURES } from "#ground/contract"
import type { Fold } from "./fold.ts"
import { TERMINAL } from "./world.ts"

type Deps = { fold(): Promise<Fold> }

export function foldOperations(deps: Deps) {
  return [...agentOperations(deps), ...hostOperations(deps), ...personOperations(deps)] as const
}

const ofAgents = ["http", "mcp"] as const

/** What an agent asks; each is bound to who calls. */
function agentOperations({ fold }: Deps) {
  return [
    defineOperation({
      name: "fold.branch",
      summary: "Open a branch for a sub-task, with a budget of tokens and a time",
      effect: "write",
      surfaces: ofAgents,
      ...SIGNATURES["fold.branch"],
      run: async (input, { caller = TERMINAL }) => (await fold()).branch(input, caller),
    }),
    defineOperation({
      name: "fold.return",
      summary: "End a branch with its result, the only text that its parent keeps",
      effect: "write",
      surfaces: ofAgents,
      ...SIGNATURES["fold.return"],
      run: async (input, { caller = TERMINAL }) => (await fold()).return(input, caller),
    }),
    defineOperation({
      name: "fold.status",
      summary: "Tell where a session's branches stand, and keep a note on how far one is",
      effect: "write",
      surfaces: ofAgents,
      ...SIGNATURES["fold.status"],
      run: async (input, { caller = TERMINAL }) => (await fold()).status(input, caller),
    }),
    defineOperation({
      name: "fold.read",
      summary: "Read a slice of a result that is kept under a handle, or find words in it",
      effect: "read",
      surfaces: ofAgents,
      ...SIGNATURES["fold.read"],
      run: async (input, { caller = TERMINAL }) => (await fold()).read(input, caller),
    }),
  ] as const
}

/** What a host's hooks report. */
function hostOperations({ fold }: Deps) {
  return [
    defineOperation({
      name: "fold.charge",
      summary: "Charge a call of the host's own tools to the session's active branch",
      effect: "write",
      surfaces: ["http"],
      ...SIGNATURES["fold.charge"],
      run: async (input, { caller = TERMINAL }) => (await fold()).charge(input, caller),
    }),
    defineOperation({
      name: "fold.end",
      summary: "End the branches of a session that is over",
      effect: "write",
      surfaces: ["http"],
      ...SIGNATURES["fold.end"],
      run: async (input, { caller = TERMINAL }) => ({
        ended: await (await fold()).end(input.sessionId ?? "", caller),
      }),
    }),
  ] as const
}

const ofPersons = ["cli", "http"] as const

/** What a person asks: all sessions of this repository. */
function personOperations({ fold }: Deps) {
  return [
    defineOperation({
      name: "fold.list",
      summary: "List branches, newest first",
      effect: "read",
      surfaces: ofPersons,
      ...SIGNATURES["fold.list"],
      run: async (input) => (await fold()).list(input),
    }),
    defineOperation({
      name: "fold.tree",
      summary: "Show branches by session, each followed by its children",
      effect: "read",
      surfaces: ofPersons,
      ...SIGNATURES["fold.tree"],
      run: async (input) => (await fold()).tree(input),
    }),
    defineOperation({
      name: "fold.show",
      summary: "Show a branch with its trail",
      effect: "read",
      surfaces: ofPersons,
      ...SIGNATURES["fold.show"],
      run: async (input) => (await fold()).show(input),
    }),
    defineOperation({
      name: "fold.search",
      summary: "Find words in the trails of branches",
      effect: "read",
      surfaces: ofPersons,
      ...SIGNATURES["fold.search"],
      run: async (input) => (await fold()).search(input),
    }),
    defineOperation({
      name: "fold.restore",
      summary: "Write the trail of a branch for a model that is to go on with it",
      effect: "read",
      surfaces: ofPersons,
      ...SIGNATURES["fold.restore"],
      run: async (input) => (await fold()).restore(input),
    }),
  ] as const
}
