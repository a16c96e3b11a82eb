import { z } from "zod"
import { defineOperations } from "../operation.ts"
import { LabelColour, Organising } from "../shapes/organise.ts"

const name = z.string().trim().min(1).max(60)
const remove = z.boolean().default(false).describe("Remove it; runs keep theirs")

export const organiseOperations = defineOperations("organise", {
  show: {
    summary: "Show the workflow states, labels and saved views of runs",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["organise"], group: "Runs", examples: ["qm organise"] },
    input: z.strictObject({}),
    output: Organising,
  },
  state: {
    summary: "Add, change or remove a workflow state of runs",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["name"],
      group: "Runs",
      examples: ['qm organise state "in review" --after "in progress"'],
    },
    input: z.strictObject({
      name: name.describe("Name of the state"),
      colour: LabelColour.optional().describe("Colour of its mark"),
      end: z.boolean().optional().describe("Work in this state is over"),
      after: z.string().max(60).optional().describe("State that comes before it (default: last)"),
      remove,
    }),
    output: Organising,
  },
  label: {
    summary: "Define or remove a label of runs: colour and parent",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["name"],
      group: "Runs",
      examples: ["qm organise label backend --colour blue --parent area"],
    },
    input: z.strictObject({
      name: name.describe("Name of the label"),
      colour: LabelColour.optional().describe("Colour of its mark"),
      parent: z.string().max(60).optional().describe("Parent label; an empty text removes it"),
      remove,
    }),
    output: Organising,
  },
  view: {
    summary: "Save or remove a view of the runs page for everyone",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["name"],
      group: "Runs",
      examples: ['qm organise view failures --filter "?status=failed"'],
    },
    input: z.strictObject({
      name: name.describe("Name of the view"),
      filter: z
        .string()
        .max(2_000)
        .regex(/^(?:\?[^\s#]*)?$/, "must be the search part of an address")
        .optional()
        .describe("Search part of the address, such as ?status=failed"),
      remove,
    }),
    output: Organising,
  },
})
