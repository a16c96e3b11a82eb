import {
  type Approval,
  type agentsOperations,
  type CallContext,
  type Handlers,
  type Organising,
  type Provider,
  RunConfiguration,
} from "#ground/contract"
import type { Agents } from "./agents.ts"
import { WorkflowUnknown } from "./errors.ts"

type AgentsHandlerDeps = {
  agents(): Promise<Agents>
  providers(): Promise<readonly Provider[]>
  keepRule(approval: Approval): Promise<void>
}

/** The machine's own user has no name in the store. */
const nameOf = ({ caller }: CallContext): string => caller?.person?.name ?? "the user"

/** Any text is a state until the user has defined the states of the workflow. */
function checkWorkflow(name: string, { areStatesOwn, states }: Organising): void {
  const names = states.map((it) => it.name)
  if (areStatesOwn && !names.includes(name)) throw WorkflowUnknown({ name, known: names })
}

export const agentsHandlers = ({
  agents,
  providers,
  keepRule,
}: AgentsHandlerDeps): Handlers<typeof agentsOperations> => ({
  async list({ label, ...filter }) {
    const room = await agents()
    const labels = label === undefined ? undefined : await room.organising.labelsBelow(label)
    return { runs: await room.list({ ...filter, labels }) }
  },
  show: async ({ id }) => (await agents()).get(id),
  messages: async ({ id, ...filter }) => ({
    messages: await (await agents()).messages(id, filter),
  }),
  message: async ({ id, seq }) => (await agents()).message(id, seq),
  turns: async ({ id }) => (await agents()).queued(id),
  parts: async ({ id }) => ({ parts: await (await agents()).parts(id) }),
  approvals: async ({ run }) => ({ approvals: await (await agents()).approvals(run) }),
  timeline: async ({ id }) => (await agents()).timeline(id),
  context: async ({ id }) => (await agents()).context(id),
  providers: async () => ({ providers: [...(await providers())] }),
  start: async ({ type, prompt, env, ...configuration }, { caller }) =>
    (await agents()).start(
      {
        type,
        prompt,
        by: caller?.person?.name,
        configuration: withoutUndefined({ ...configuration, env: variables(env) }),
      },
      { mayNameRecipe: true },
    ),
  send: async ({ id, text, now }, { caller }) =>
    (await agents()).send(id, text, { now, by: caller?.person?.name }),
  stop: async ({ id }) => (await agents()).stop(id),
  mode: async ({ id, mode }, context) => (await agents()).setMode(id, mode, nameOf(context)),
  async answer({ id, decision, note, always }, context) {
    const room = await agents()
    // Write the rule first: if none can be written, the approval stays open for another answer.
    const approval = await room.approval(id)
    const mustKeep = always && decision === "allow" && approval.status === "open"
    if (mustKeep) await keepRule(approval)
    return room.answer(id, { decision, note, by: nameOf(context) })
  },
  title: async ({ id }, { signal }) => (await agents()).title(id, signal),
  async edit({ id, title, label, unlabel, workflow, archived }) {
    const room = await agents()
    if (workflow !== undefined) checkWorkflow(workflow, await room.organising.show())
    return room.edit(id, {
      title,
      isTitleOwn: title === undefined ? undefined : true,
      labels: unlabel === true ? [] : label,
      workflow,
      isArchived: archived,
    })
  },
  async rewrite({ id, text }) {
    const room = await agents()
    return room.queued(await room.rewriteTurn(id, text))
  },
  async drop({ id }) {
    await (await agents()).dropTurn(id)
    return { id }
  },
  async delete({ id }) {
    await (await agents()).remove(id)
    return { id }
  },
  export: async (input) => (await agents()).exportRun(input),
  save: async (input) => (await agents()).saveRun(input),
  import: async ({ file }) => (await agents()).importRun(file),
  sessions: async (filter) => ({ sessions: await (await agents()).sessions(filter) }),
  read: async ({ session }) => (await agents()).readSession(session),
  handoff: async ({ id, start }, { caller }) =>
    (await agents()).handoff(id, start, caller?.person?.name),
})

function variables(list: readonly string[] | undefined): Record<string, string> | undefined {
  if (list === undefined) return undefined
  return Object.fromEntries(
    list.map((it) => [it.slice(0, it.indexOf("=")), it.slice(it.indexOf("=") + 1)]),
  )
}

function withoutUndefined<Value extends object>(value: Value) {
  const entries = Object.entries(value).filter(([, it]) => it !== undefined)
  return RunConfiguration.parse(Object.fromEntries(entries))
}
