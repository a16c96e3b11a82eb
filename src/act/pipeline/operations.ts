import { type CallContext, defineOperation, SIGNATURES } from "#ground/contract"
import type { Pipelines } from "./pipeline.ts"

type Deps = { pipelines(): Promise<Pipelines> }

export function pipelineOperations(deps: Deps) {
  return [
    ...readOperations(deps),
    ...startOperations(deps),
    ...answerOperations(deps),
    ...agentOperations(deps),
  ] as const
}

const surfaces = ["cli", "http"] as const

/** Who a person's word stands under; at the terminal nobody has to say who they are. */
function byOf({ caller }: CallContext): string {
  return caller?.client ?? caller?.principal ?? "you"
}

function readOperations({ pipelines }: Deps) {
  return [
    defineOperation({
      name: "pipeline.list",
      summary: "List runs of pipelines, newest first",
      effect: "read",
      surfaces,
      ...SIGNATURES["pipeline.list"],
      run: async (input) => (await pipelines()).list(input),
    }),
    defineOperation({
      name: "pipeline.show",
      summary: "Show a run with its stages, its cost and its events",
      effect: "read",
      surfaces,
      ...SIGNATURES["pipeline.show"],
      run: async ({ id, after }) => (await pipelines()).show(id, after),
    }),
    defineOperation({
      name: "pipeline.document",
      summary: "Read the document a run wrote, with its references",
      effect: "read",
      surfaces,
      ...SIGNATURES["pipeline.document"],
      run: async ({ id }) => (await pipelines()).document(id),
    }),
    defineOperation({
      name: "pipeline.summary",
      summary: "Read what later turns are told of a run",
      effect: "read",
      surfaces,
      ...SIGNATURES["pipeline.summary"],
      run: async ({ id }) => (await pipelines()).summary(id),
    }),
    defineOperation({
      name: "pipeline.compare",
      summary: "Hold two runs against each other, stage by stage",
      effect: "read",
      surfaces,
      ...SIGNATURES["pipeline.compare"],
      run: async ({ id, other }) => (await pipelines()).compare(id, other),
    }),
  ] as const
}

function startOperations({ pipelines }: Deps) {
  return [
    defineOperation({
      name: "pipeline.run",
      summary: "Start an agent's pipeline with a question or a task",
      effect: "write",
      surfaces,
      ...SIGNATURES["pipeline.run"],
      run: async (input) => (await pipelines()).run(input),
    }),
    defineOperation({
      name: "pipeline.rerun",
      summary: "Do a run again from a stage, with an edit, as a new run",
      effect: "write",
      surfaces,
      ...SIGNATURES["pipeline.rerun"],
      run: async ({ id, ...again }, context) =>
        (await pipelines()).rerun(id, { ...again, by: byOf(context) }),
    }),
    defineOperation({
      name: "pipeline.stop",
      summary: "End a run; what it found is kept",
      effect: "write",
      surfaces,
      ...SIGNATURES["pipeline.stop"],
      run: async ({ id }) => (await pipelines()).stop(id),
    }),
  ] as const
}

function answerOperations({ pipelines }: Deps) {
  return [
    defineOperation({
      name: "pipeline.resume",
      summary: "Go on with a run that is paused or was interrupted",
      effect: "write",
      surfaces,
      ...SIGNATURES["pipeline.resume"],
      run: async ({ id, pause }, context) =>
        (await pipelines()).resume(id, { by: byOf(context), pause }),
    }),
    defineOperation({
      name: "pipeline.amend",
      summary: "Say what should be different; the stage is done again with it",
      effect: "write",
      surfaces,
      ...SIGNATURES["pipeline.amend"],
      run: async ({ id, text, pause }, context) =>
        (await pipelines()).amend(id, text, { by: byOf(context), pause }),
    }),
    defineOperation({
      name: "pipeline.skip",
      summary: "Leave out the next stage of a paused run, or the one that failed",
      effect: "write",
      surfaces,
      ...SIGNATURES["pipeline.skip"],
      run: async ({ id, pause }, context) =>
        (await pipelines()).skip(id, { by: byOf(context), pause }),
    }),
    defineOperation({
      name: "pipeline.say",
      summary: "Say something to a paused run, or after its end",
      effect: "write",
      surfaces,
      ...SIGNATURES["pipeline.say"],
      run: async ({ id, text, pause }, context) =>
        (await pipelines()).say(id, { text, pause, by: byOf(context), signal: context.signal }),
    }),
  ] as const
}

function agentOperations({ pipelines }: Deps) {
  return [
    defineOperation({
      name: "agent.list",
      summary: "List the agents people can run, with their folders",
      effect: "read",
      surfaces,
      ...SIGNATURES["agent.list"],
      run: async () => (await pipelines()).agents.list(),
    }),
    defineOperation({
      name: "agent.show",
      summary: "Show an agent's stages and prompts, and its runs",
      effect: "read",
      surfaces,
      ...SIGNATURES["agent.show"],
      run: async ({ slug }) => (await pipelines()).agents.show(slug),
    }),
    defineOperation({
      name: "agent.new",
      summary: "Make an agent of your own from a shipped one",
      effect: "write",
      surfaces,
      ...SIGNATURES["agent.new"],
      run: async (input) => (await pipelines()).agents.make(input),
    }),
    defineOperation({
      name: "agent.validate",
      summary: "Check agents' folders: each problem with its file, line, stage and field",
      effect: "read",
      surfaces,
      ...SIGNATURES["agent.validate"],
      run: async ({ slug }) => (await pipelines()).agents.validate(slug),
    }),
    defineOperation({
      name: "agent.trust",
      summary: "Trust an agent that came with the repository, as its folder is now",
      effect: "write",
      surfaces,
      ...SIGNATURES["agent.trust"],
      run: async (input) => (await pipelines()).agents.trust(input),
    }),
  ] as const
}
