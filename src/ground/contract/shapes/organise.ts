import { z } from "zod"

export const LabelColour = z.enum([
  "grey",
  "red",
  "orange",
  "yellow",
  "green",
  "teal",
  "blue",
  "violet",
  "pink",
])
export type LabelColour = z.infer<typeof LabelColour>

export const OrganisedState = z.object({
  name: z.string(),
  colour: LabelColour,
  isEnd: z.boolean().describe("Work in this state is over"),
})
export type OrganisedState = z.infer<typeof OrganisedState>

export const OrganisedLabel = z.object({
  name: z.string(),
  colour: LabelColour,
  parent: z.string().nullable().describe("A filter by the parent also shows this label"),
})
export type OrganisedLabel = z.infer<typeof OrganisedLabel>

export const OrganisedView = z.object({
  name: z.string(),
  filter: z.string().describe("Search part of the address, such as ?status=failed"),
})
export type OrganisedView = z.infer<typeof OrganisedView>

export const Organising = z.object({
  states: z.array(OrganisedState).describe("In the order of the work"),
  areStatesOwn: z.boolean().describe("False for the states that come with the product"),
  labels: z.array(OrganisedLabel),
  views: z.array(OrganisedView),
})
export type Organising = z.infer<typeof Organising>
