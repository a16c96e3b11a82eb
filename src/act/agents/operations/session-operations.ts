import { defineOperation, SIGNATURES } from "#ground/contract"
import type { AgentsOperationDeps } from "./operations.ts"

const surfaces = ["cli", "http"] as const

export function sessionOperations(deps: AgentsOperationDeps) {
  return [...filingOperations(deps), ...takingOverOperations(deps)] as const
}

/** Runs as files. */
function filingOperations({ agents }: AgentsOperationDeps) {
  return [
    defineOperation({
      name: "agents.export",
      summary: "Give a run as lines that can be imported, or as one page that opens offline",
      effect: "read",
      surfaces,
      ...SIGNATURES["agents.export"],
      run: async (input) => (await agents()).exportRun(input),
    }),
    defineOperation({
      name: "agents.save",
      summary: "Write a run into a new file, as lines or as a page",
      effect: "write",
      // Whoever can name any file of this machine sits before it.
      surfaces: ["cli"],
      ...SIGNATURES["agents.save"],
      run: async (input) => (await agents()).saveRun(input),
    }),
    defineOperation({
      name: "agents.import",
      summary: "Take in a run that was exported as lines",
      effect: "write",
      surfaces,
      ...SIGNATURES["agents.import"],
      run: async ({ file }) => (await agents()).importRun(file),
    }),
  ] as const
}

/** Hosts' sessions as runs, and the way into a fresh session. */
function takingOverOperations({ agents }: AgentsOperationDeps) {
  return [
    defineOperation({
      name: "agents.sessions",
      summary: "List the sessions that Claude Code and Codex kept on this machine",
      effect: "read",
      surfaces,
      ...SIGNATURES["agents.sessions"],
      run: async (filter) => ({ sessions: await (await agents()).sessions(filter) }),
    }),
    defineOperation({
      name: "agents.read",
      summary: "Read a host's session into a run; again, and only what is new is read",
      effect: "write",
      surfaces,
      ...SIGNATURES["agents.read"],
      run: async ({ session }) => (await agents()).readSession(session),
    }),
    defineOperation({
      name: "agents.handoff",
      summary: "Make the package with which a fresh session goes on with the work of a run",
      effect: "write",
      surfaces,
      ...SIGNATURES["agents.handoff"],
      run: async ({ id, start }) => (await agents()).handoff(id, start),
    }),
  ] as const
}
