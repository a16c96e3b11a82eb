import { defineOperation, RunConfiguration, SIGNATURES } from "#ground/contract"
import type { Agents } from "./agents.ts"

/** The room is made when it is first asked for: it needs the store. */
type Deps = { agents(): Promise<Agents> }

export function agentsOperations(deps: Deps) {
  return [...readingOperations(deps), ...writingOperations(deps)] as const
}

function readingOperations({ agents }: Deps) {
  return [
    defineOperation({
      name: "agents.list",
      summary: "List the runs of agents, newest first",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["agents.list"],
      run: async ({ limit }) => ({ runs: await (await agents()).list(limit) }),
    }),
    defineOperation({
      name: "agents.show",
      summary: "Show one run: where it stands, what it cost, what it waits for",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["agents.show"],
      run: async ({ id }) => (await agents()).get(id),
    }),
    defineOperation({
      name: "agents.messages",
      summary: "Show what was said in a run",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["agents.messages"],
      run: async ({ id, after, limit }) => ({
        messages: await (await agents()).messages(id, after, limit),
      }),
    }),
    defineOperation({
      name: "agents.approvals",
      summary: "List what agents ask and nobody has answered",
      effect: "read",
      surfaces: ["cli", "http"],
      ...SIGNATURES["agents.approvals"],
      run: async () => ({ approvals: await (await agents()).approvals() }),
    }),
  ] as const
}

function writingOperations({ agents }: Deps) {
  return [
    defineOperation({
      name: "agents.start",
      summary: "Start an agent on a task",
      effect: "write",
      // A command that ends would take its agent with it; the server stays.
      surfaces: ["http"],
      ...SIGNATURES["agents.start"],
      run: async ({ type, prompt, ...configuration }) =>
        (await agents()).start({ type, prompt, configuration: given(configuration) }),
    }),
    defineOperation({
      name: "agents.send",
      summary: "Say the next thing to an agent",
      effect: "write",
      surfaces: ["http"],
      ...SIGNATURES["agents.send"],
      run: async ({ id, text }) => (await agents()).send(id, text),
    }),
    defineOperation({
      name: "agents.stop",
      summary: "Stop a run; what it said is kept",
      effect: "write",
      surfaces: ["http"],
      ...SIGNATURES["agents.stop"],
      run: async ({ id }) => (await agents()).stop(id),
    }),
    defineOperation({
      name: "agents.delete",
      summary: "Stop a run and delete all it said",
      effect: "write",
      surfaces: ["http"],
      ...SIGNATURES["agents.delete"],
      run: async ({ id }) => {
        await (await agents()).remove(id)
        return { id }
      },
    }),
    defineOperation({
      name: "agents.answer",
      summary: "Allow or deny what an agent asks; the first answer counts",
      effect: "write",
      surfaces: ["http"],
      ...SIGNATURES["agents.answer"],
      run: async ({ id, decision, note }) =>
        (await agents()).answer(id, { decision, note, by: "a person" }),
    }),
  ] as const
}

/** Only what was given: a key without a value is not the same as no key. */
function given<Value extends object>(value: Value) {
  const entries = Object.entries(value).filter(([, it]) => it !== undefined)
  return RunConfiguration.parse(Object.fromEntries(entries))
}
