import { z } from "zod"
import { GuidelinesList } from "../guideline.ts"
import { defineOperations } from "../operation.ts"
import { PackBuilt, PackDiff, PackFormat, PackList } from "../pack.ts"

const PathList = z.array(z.string().min(1).max(4_096)).max(200)

const PackId = z.string().min(1).max(100)

export const packOperations = defineOperations("pack", {
  build: {
    summary: "Choose what a task needs of this repository, within a budget, and say why",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: { words: ["pack"], args: ["task"], group: "Choose" },
    mcp: {
      set: "core",
      name: "pack",
      rank: 5,
      title: "Choose context for a task",
      description:
        "Choose the files and symbols of this repository that a task needs, within a token budget, best first, each with its reason. Use it before reading files one by one.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      // Not the session of the room: what is kept under a handle was never seen, and a later package
      // must not leave it out as sent before.
      fields: { task: "task", budget: "budget", target: "target", drop: "drop" },
      texts: { task: "", budget: "Tokens", drop: "Files that must not" },
      given: { format: "markdown" },
    },
    input: z.object({
      task: z.string().max(1_000_000).describe("What is to be done, in words"),
      budget: z.number().optional().describe("Tokens it may have; from the config when absent"),
      role: z.string().max(100).optional().describe("Who does it; restricts the paths"),
      domain: z
        .string()
        .max(200)
        .optional()
        .describe("Instead of the domain the task's paths tell"),
      target: PathList.default([]).describe("Files that must be in it"),
      drop: PathList.default([]).describe("Files that must not be in it"),
      // Inputs are flat (decision 0002): one list of paths for each form that a person chose.
      full: PathList.default([]).describe("Files to send whole"),
      symbols: PathList.default([]).describe("Files to send by their best symbols"),
      signatures: PathList.default([]).describe("Files to send as signatures"),
      mention: PathList.default([]).describe("Files to name by their path only"),
      order: PathList.default([]).describe("Paths in the order a person chose; the rest follows"),
      truncate: z
        .enum(["signatures", "relevance"])
        .default("signatures")
        .describe("What becomes of a file that does not fit: its signatures, or nothing"),
      format: PackFormat.optional().describe("Write it out so; absent, a person reads it"),
      session: z
        .string()
        .max(200)
        .optional()
        .describe("Only what earlier packages of this session did not have"),
      save: z.boolean().default(true).describe("Keep it, to be shown and compared later"),
      out: z.string().min(1).max(4_096).optional().describe("File to write it to"),
    }),
    output: PackBuilt,
  },
  list: {
    summary: "List earlier packages, newest first",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { group: "Choose" },
    input: z.object({
      limit: z.int().min(1).max(200).default(50).describe("At most so many packages"),
    }),
    output: PackList,
  },
  show: {
    summary: "Show an earlier package",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["id"], group: "Choose" },
    input: z.object({
      id: PackId.describe("Id of the package; last for the newest"),
      format: PackFormat.optional().describe("Write it out so; absent, a person reads it"),
    }),
    output: PackBuilt,
  },
  diff: {
    summary: "Compare two packages: files added, removed, changed",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["from", "to"], group: "Choose" },
    input: z.object({
      from: PackId.describe("Id of the older package"),
      to: PackId.default("last").describe("Id of the newer one"),
    }),
    output: PackDiff,
  },
})

export const guidelinesOperations = defineOperations("guidelines", {
  list: {
    summary: "List the guidelines that apply, and what they say together",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["guidelines"], group: "Choose" },
    input: z.object({
      role: z.string().max(100).optional().describe("Only those that apply to this role"),
      action: z.string().max(100).optional().describe("Only those that apply to this action"),
      domain: z.string().max(200).optional().describe("Only those that apply to this domain"),
      path: z.string().max(4_096).optional().describe("Only those that apply to this path"),
    }),
    output: GuidelinesList,
  },
})
