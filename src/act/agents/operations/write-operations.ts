import { defineOperation, RunConfiguration, SIGNATURES } from "#ground/contract"
import type { AgentsOperationDeps } from "./operations.ts"

/** Who answers through an operation; a rule and the clock have names of their own. */
const PERSON = "a person"

export function writingOperations(deps: AgentsOperationDeps) {
  return [
    ...drivingOperations(deps),
    ...permittingOperations(deps),
    ...keepingOperations(deps),
  ] as const
}

/** What makes an agent do something. */
function drivingOperations({ agents }: AgentsOperationDeps) {
  return [
    defineOperation({
      name: "agents.start",
      summary: "Start an agent on a task",
      effect: "write",
      // A command that ends would take its agent with it: `qm run` stays, and so does the server.
      surfaces: ["http"],
      ...SIGNATURES["agents.start"],
      run: async ({ type, prompt, env, ...configuration }) =>
        (await agents()).start({
          type,
          prompt,
          configuration: given({ ...configuration, env: variables(env) }),
        }),
    }),
    defineOperation({
      name: "agents.send",
      summary: "Say the next thing to an agent: behind its turn, or into it",
      effect: "write",
      surfaces: ["http"],
      ...SIGNATURES["agents.send"],
      run: async ({ id, text, now }) => (await agents()).send(id, text, { now }),
    }),
    defineOperation({
      name: "agents.stop",
      summary: "Stop a run, whichever process works on it; what it said is kept",
      effect: "write",
      surfaces: ["cli", "http"],
      ...SIGNATURES["agents.stop"],
      run: async ({ id }) => (await agents()).stop(id),
    }),
  ] as const
}

/** What lets an agent do something. */
function permittingOperations({ agents, keepRule }: AgentsOperationDeps) {
  return [
    defineOperation({
      name: "agents.mode",
      summary: "Change how much a running agent may do without asking",
      effect: "write",
      surfaces: ["cli", "http"],
      ...SIGNATURES["agents.mode"],
      run: async ({ id, mode }) => (await agents()).setMode(id, mode, PERSON),
    }),
    defineOperation({
      name: "agents.answer",
      summary: "Allow or deny what an agent asks; the first answer counts",
      effect: "write",
      surfaces: ["http"],
      ...SIGNATURES["agents.answer"],
      async run({ id, decision, note, always }) {
        const room = await agents()
        // First the rule: where none can be written the question stays open for another answer.
        const approval = await room.approval(id)
        const mustKeep = always && decision === "allow" && approval.status === "open"
        if (mustKeep) await keepRule(approval)
        return room.answer(id, { decision, note, by: PERSON })
      },
    }),
  ] as const
}

/** What changes how a run is kept. */
function keepingOperations({ agents }: AgentsOperationDeps) {
  const WRITE = { effect: "write", surfaces: ["cli", "http"] } as const
  return [
    defineOperation({
      name: "agents.edit",
      summary: "Rename a run, label it, say where its work stands, or put it away",
      ...WRITE,
      ...SIGNATURES["agents.edit"],
      run: async ({ id, title, label, unlabel, workflow, archived }) =>
        (await agents()).edit(id, {
          title,
          isTitleOwn: title === undefined ? undefined : true,
          labels: unlabel === true ? [] : label,
          workflow,
          isArchived: archived,
        }),
    }),
    defineOperation({
      name: "agents.rewrite",
      summary: "Change the words of a turn that waits",
      ...WRITE,
      ...SIGNATURES["agents.rewrite"],
      async run({ id, text }) {
        const room = await agents()
        return room.queued(await room.rewriteTurn(id, text))
      },
    }),
    defineOperation({
      name: "agents.drop",
      summary: "Take a turn that waits out of the queue",
      ...WRITE,
      ...SIGNATURES["agents.drop"],
      async run({ id }) {
        await (await agents()).dropTurn(id)
        return { id }
      },
    }),
    defineOperation({
      name: "agents.delete",
      summary: "Stop a run and delete all it said",
      ...WRITE,
      ...SIGNATURES["agents.delete"],
      async run({ id }) {
        await (await agents()).remove(id)
        return { id }
      },
    }),
  ] as const
}

function variables(list: readonly string[] | undefined): Record<string, string> | undefined {
  if (list === undefined) return undefined
  return Object.fromEntries(
    list.map((it) => [it.slice(0, it.indexOf("=")), it.slice(it.indexOf("=") + 1)]),
  )
}

/** Only what was given: a key without a value is not the same as no key. */
function given<Value extends object>(value: Value) {
  const entries = Object.entries(value).filter(([, it]) => it !== undefined)
  return RunConfiguration.parse(Object.fromEntries(entries))
}
