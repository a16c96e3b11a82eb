import type { CallContext, Handlers, pipelineOperations, recipeOperations } from "#ground/contract"
import type { Pipelines } from "./pipeline.ts"

type Deps = { pipelines(): Promise<Pipelines> }

export const pipelineHandlers = ({ pipelines }: Deps): Handlers<typeof pipelineOperations> => ({
  list: async (input) => (await pipelines()).list(input),
  show: async ({ id, after }) => (await pipelines()).show(id, after),
  document: async ({ id }) => (await pipelines()).document(id),
  summary: async ({ id }) => (await pipelines()).summary(id),
  compare: async ({ id, other }) => (await pipelines()).compare(id, other),
  run: async (input, { caller }) => (await pipelines()).run(input, caller?.person?.name),
  rerun: async ({ id, ...again }, context) =>
    (await pipelines()).rerun(id, {
      ...again,
      by: byOf(context),
      person: context.caller?.person?.name,
    }),
  stop: async ({ id }) => (await pipelines()).stop(id),
  resume: async ({ id, pause }, context) =>
    (await pipelines()).resume(id, { by: byOf(context), pause }),
  amend: async ({ id, text, pause }, context) =>
    (await pipelines()).amend(id, text, { by: byOf(context), pause }),
  skip: async ({ id, pause }, context) =>
    (await pipelines()).skip(id, { by: byOf(context), pause }),
  say: async ({ id, text, pause }, context) =>
    (await pipelines()).say(id, { text, pause, by: byOf(context), signal: context.signal }),
})

export const recipeHandlers = ({ pipelines }: Deps): Handlers<typeof recipeOperations> => ({
  list: async () => (await pipelines()).recipes.list(),
  show: async ({ slug }) => (await pipelines()).recipes.show(slug),
  new: async (input) => (await pipelines()).recipes.make(input),
  validate: async ({ slug }) => (await pipelines()).recipes.validate(slug),
  trust: async (input) => (await pipelines()).recipes.trust(input),
})

/** Recorded as the author of an answer; the terminal needs no name. */
function byOf({ caller }: CallContext): string {
  return caller?.client ?? caller?.person?.name ?? caller?.principal ?? "you"
}
