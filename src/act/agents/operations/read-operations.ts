import { defineOperation, SIGNATURES } from "#ground/contract"
import type { AgentsOperationDeps } from "./operations.ts"

/** Read by every surface; nothing of it changes a run. */
const READ = { effect: "read", surfaces: ["cli", "http"] } as const

export function readingOperations(deps: AgentsOperationDeps) {
  return [...transcriptOperations(deps), ...standingOperations(deps)] as const
}

/** What was said. */
function transcriptOperations({ agents }: AgentsOperationDeps) {
  return [
    defineOperation({
      name: "agents.list",
      summary: "List the runs of agents, newest first",
      ...READ,
      ...SIGNATURES["agents.list"],
      run: async (filter) => ({ runs: await (await agents()).list(filter) }),
    }),
    defineOperation({
      name: "agents.show",
      summary: "Show one run: where it stands, what it cost, what it waits for",
      ...READ,
      ...SIGNATURES["agents.show"],
      run: async ({ id }) => (await agents()).get(id),
    }),
    defineOperation({
      name: "agents.messages",
      summary: "Show what was said in a run",
      ...READ,
      ...SIGNATURES["agents.messages"],
      run: async ({ id, ...filter }) => ({ messages: await (await agents()).messages(id, filter) }),
    }),
    defineOperation({
      name: "agents.message",
      summary: "Show one message of a run whole, with the host's own words",
      ...READ,
      ...SIGNATURES["agents.message"],
      run: async ({ id, seq }) => (await agents()).message(id, seq),
    }),
  ] as const
}

/** How it stands. */
function standingOperations({ agents, providers }: AgentsOperationDeps) {
  return [
    defineOperation({
      name: "agents.turns",
      summary: "List the turns that wait behind a run",
      ...READ,
      ...SIGNATURES["agents.turns"],
      run: async ({ id }) => (await agents()).queued(id),
    }),
    defineOperation({
      name: "agents.parts",
      summary: "Show what is put in front of the next turn of a run",
      ...READ,
      ...SIGNATURES["agents.parts"],
      run: async ({ id }) => ({ parts: await (await agents()).parts(id) }),
    }),
    defineOperation({
      name: "agents.approvals",
      summary: "List what agents ask and nobody has answered",
      ...READ,
      ...SIGNATURES["agents.approvals"],
      run: async ({ run }) => ({ approvals: await (await agents()).approvals(run) }),
    }),
    defineOperation({
      name: "agents.timeline",
      summary: "Show where the time of a run went, waiting for a person apart",
      ...READ,
      ...SIGNATURES["agents.timeline"],
      run: async ({ id }) => (await agents()).timeline(id),
    }),
    defineOperation({
      name: "agents.context",
      summary: "Show what is in an agent's window, what came when, and what it changed",
      ...READ,
      ...SIGNATURES["agents.context"],
      run: async ({ id }) => (await agents()).context(id),
    }),
    defineOperation({
      name: "agents.providers",
      summary: "List the agents there are and which of them are on this machine",
      ...READ,
      ...SIGNATURES["agents.providers"],
      run: async () => ({ providers: [...(await providers())] }),
    }),
  ] as const
}
