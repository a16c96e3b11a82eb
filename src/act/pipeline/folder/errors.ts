import { defineError } from "#ground/base"

type OfAgent = { readonly slug: string }

export const AgentExists = defineError<OfAgent>()("PIPELINE_AGENT_EXISTS", {
  family: "conflict",
  message: (it) => `This repository has an agent "${it.slug}" already.`,
  hint: () => "Choose another name, or edit the one that is there; nothing was written.",
})

export const AgentChanged = defineError<OfAgent>()("PIPELINE_AGENT_CHANGED", {
  family: "conflict",
  message: (it) => `The folder of the agent ${it.slug} is not the one that was read.`,
  hint: (it) => `Read it again with \`qm agent show ${it.slug}\`, then trust what you read.`,
})

export const AgentTemplateUnknown = defineError<{
  readonly template: string
  readonly known: readonly string[]
}>()("PIPELINE_AGENT_TEMPLATE_UNKNOWN", {
  family: "not-found",
  message: (it) => `No agent "${it.template}" is shipped that one could start from.`,
  hint: (it) => `Shipped: ${it.known.join(", ")}.`.slice(0, 160),
})
