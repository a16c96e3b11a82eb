import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { ALWAYS_LOADED, defineOperations } from "../operation.ts"
import { GuidelinesList, PackBuilt, PackDiff, PackFormat, PackList } from "../shapes/pack.ts"

const PathList = z.array(z.string().min(1).max(4_096)).max(200)

const PackId = z.string().min(1).max(100)

export const packOperations = defineOperations("pack", {
  build: {
    summary: "Select the files and symbols a task needs, within a token budget",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      words: ["pack"],
      args: ["task"],
      group: "Code",
      examples: [
        'qm pack "fix the login"',
        'qm pack "fix the login" --budget 8000 --format markdown',
      ],
    },
    mcp: {
      set: "core",
      name: "pack",
      rank: 5,
      title: "Select context for a task",
      description:
        "Select the files and symbols of this repository that a task needs, within a token budget, best first, each with its reason. Use it before reading files one by one.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      meta: ALWAYS_LOADED,
      // Without the room's session: a text stored under a handle was never seen, so a later package
      // must not leave it out as sent.
      fields: {
        task: "task",
        budget: "budget",
        target: "target",
        drop: "drop",
        role: "role",
        domain: "domain",
      },
      texts: {
        task: "",
        budget: "Maximum tokens",
        drop: "Files to leave out",
        role: "Role that does the task",
        domain: "Part of the repository",
      },
      given: { format: "markdown" },
    },
    input: z.object({
      task: z.string().max(1_000_000).describe("Task, in your own words"),
      budget: z
        .number()
        .optional()
        .describe("Maximum tokens (default: setting pack.budget); a package may be smaller"),
      fill: z
        .boolean()
        .default(false)
        .describe("Use the whole budget, also for what is unlikely to be needed"),
      role: z
        .string()
        .max(100)
        .optional()
        .describe("Role that does the task; limits the paths (default: no limit)"),
      domain: z
        .string()
        .max(200)
        .optional()
        .describe("Domain (default: derived from the paths in the task)"),
      target: PathList.default([]).describe("File that must be included"),
      drop: PathList.default([]).describe("File to leave out"),
      // Inputs are flat (decision 0002): one list of paths for each form that the user chose.
      full: PathList.default([]).describe("File to include in full"),
      symbols: PathList.default([]).describe("File to include as its most relevant symbols"),
      signatures: PathList.default([]).describe("File to include as signatures"),
      mention: PathList.default([]).describe("File to include as path only"),
      order: PathList.default([]).describe("Path in the order you want; other files follow"),
      truncate: z
        .enum(["signatures", "relevance"])
        .default("signatures")
        .describe("Include a file that does not fit as signatures, or leave it out (relevance)"),
      format: PackFormat.optional().describe("Output format (default: human-readable)"),
      session: z
        .string()
        .max(200)
        .optional()
        .describe("Leave out what earlier packages of this session contained"),
      save: z
        .boolean()
        .default(true)
        .describe("Store the package for `qm pack show` and `qm pack diff`"),
      out: z.string().min(1).max(4_096).optional().describe("File to write the package to"),
    }),
    output: PackBuilt,
  },
  list: {
    summary: "List stored packages, newest first",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { group: "Code", examples: ["qm pack list --limit 10"] },
    input: z.object({
      limit: z.int().min(1).max(200).default(50).describe("Maximum number of packages"),
    }),
    output: PackList,
    rows: { field: "packs", id: "id", title: ["task"], newest: "last" },
  },
  show: {
    summary: "Show a stored package",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["id"], group: "Code", examples: ["qm pack show last --format markdown"] },
    input: z.object({
      id: listedBy("pack.list", PackId.describe("Package id, or last for the newest")),
      format: PackFormat.optional().describe("Output format (default: human-readable)"),
    }),
    output: PackBuilt,
  },
  diff: {
    summary: "Compare two packages: files added, removed and changed",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["from", "to"], group: "Code", examples: ["qm pack diff pk_abc123"] },
    input: z.object({
      from: listedBy("pack.list", PackId.describe("Id of the older package")),
      to: listedBy("pack.list", PackId.default("last").describe("Id of the newer package")),
    }),
    output: PackDiff,
  },
})

export const guidelinesOperations = defineOperations("guidelines", {
  list: {
    summary: "List the guidelines that apply, and their combined rules",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["guidelines"],
      group: "Code",
      examples: ["qm guidelines --path src/billing/tax.ts"],
    },
    input: z.object({
      role: z.string().max(100).optional().describe("Only guidelines for this role"),
      action: z.string().max(100).optional().describe("Only guidelines for this action"),
      domain: z.string().max(200).optional().describe("Only guidelines for this domain"),
      path: z.string().max(4_096).optional().describe("Only guidelines for this path"),
    }),
    output: GuidelinesList,
  },
})
