import { z } from "zod"
import { defineOperations } from "../operation.ts"
import {
  DefinitionCheck,
  DefinitionText,
  DiagramCheck,
  ForgedDefinition,
  KitDone,
  KitHost,
  KitLevels,
  KitPacks,
} from "../shapes/kit.ts"

const KitLevel = z.int().min(1).max(7)

/** For the user at the terminal: they write into the settings of hosts. */
export const kitOperations = defineOperations("kit", {
  init: {
    summary: "Install hooks, commands and skills in your agents; shows a plan first",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      words: ["init"],
      group: "Setup",
      examples: [
        "qm init --dry-run",
        "qm init --host claude-code --yes",
        "qm init --statusline --dry-run",
      ],
    },
    input: z.strictObject({
      host: z
        .array(KitHost)
        .max(4)
        .optional()
        .describe("Host to install into (default: all hosts found on this machine)"),
      level: KitLevel.optional().describe("Level, 1 to 7 (default: the repository's level, or 2)"),
      statusline: z
        .boolean()
        .default(false)
        .describe("Also set up the status line of Claude Code, unless you have your own"),
      replaceStatusline: z
        .boolean()
        .default(false)
        .describe("Replace your own status line until `qm uninstall`, which restores it"),
      dryRun: z.boolean().default(false).describe("Show the plan and write nothing"),
      yes: z.boolean().default(false).describe("Apply the plan (default: only show it)"),
    }),
    output: KitDone,
  },
  uninstall: {
    summary: "Remove what `qm init` installed and restore your files",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      words: ["uninstall"],
      group: "Setup",
      examples: ["qm uninstall --dry-run", "qm uninstall --yes"],
    },
    input: z.strictObject({
      dryRun: z.boolean().default(false).describe("Show the plan and change nothing"),
      yes: z.boolean().default(false).describe("Apply the plan (default: only show it)"),
    }),
    output: KitDone,
  },
  level: {
    summary: "List the seven levels with their cost, or set one",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      words: ["level"],
      args: ["level"],
      group: "Setup",
      examples: ["qm level", "qm level 3"],
    },
    input: z.strictObject({
      level: KitLevel.optional().describe("Level to set, 1 to 7 (default: list the levels)"),
      measure: z
        .boolean()
        .default(false)
        .describe("Measure how long each hook takes; needs a few seconds"),
    }),
    output: KitLevels,
  },
})

const packs = z
  .array(z.string().min(1).max(60))
  .min(1)
  .max(20)
  .describe("Packs such as audit, or squads such as squad-dev")

export const packsOperations = defineOperations("packs", {
  list: {
    summary: "List packs of commands and squads of agents, with their tokens",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["packs"],
      aliases: ["packs list"],
      group: "Setup",
      examples: ["qm packs", "qm packs list --json"],
    },
    input: z.strictObject({}),
    output: KitPacks,
  },
  install: {
    summary: "Install packs in addition to those of the level",
    effect: "write",
    surfaces: ["cli"],
    cli: { args: ["packs"], group: "Setup", examples: ["qm packs install audit squad-security"] },
    input: z.strictObject({ packs }),
    output: KitDone,
  },
  remove: {
    summary: "Remove packs from your hosts; the level and the hooks stay",
    effect: "write",
    surfaces: ["cli"],
    cli: { args: ["packs"], group: "Setup", examples: ["qm packs remove forge"] },
    input: z.strictObject({ packs }),
    output: KitDone,
  },
})

const ForgeInput = {
  name: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,40}$/,
      "made of lower-case letters, digits and dashes, at most 41 characters",
    )
    .describe("Name, which is also the name of the file"),
  description: z
    .string()
    .min(1)
    .max(500)
    .describe("Its task, its files or operations, and when to use it"),
  from: z.string().min(1).max(4_096).describe("File with the instructions, as markdown"),
  host: z
    .array(KitHost)
    .max(4)
    .optional()
    .describe("Host to write it for (default: the hosts of this repository, or Claude Code)"),
  replace: z.boolean().default(false).describe("Replace a file that exists"),
}

/** For the user at the terminal: they write into the repository. */
export const forgeOperations = defineOperations("forge", {
  agent: {
    summary: "Create a sub-agent for this project, in the format of each host",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      args: ["name"],
      group: "Setup",
      examples: ['qm forge agent taxes --description "Checks src/tax before a merge" --from a.md'],
    },
    input: z.strictObject({
      ...ForgeInput,
      tools: z.string().max(500).optional().describe("Tools of Claude Code, separated by commas"),
      cost: z
        .enum(["low"])
        .optional()
        .describe("Use a smaller model where the host can choose one"),
    }),
    output: ForgedDefinition,
  },
  command: {
    summary: "Create a slash command for this project, in the format of each host",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      args: ["name"],
      group: "Setup",
      examples: ['qm forge command ship --description "Release; use on Fridays" --from a.md'],
    },
    input: z.strictObject(ForgeInput),
    output: ForgedDefinition,
  },
  skill: {
    summary: "Create a skill for this project, in the format of each host",
    effect: "write",
    surfaces: ["cli"],
    cli: {
      args: ["name"],
      group: "Setup",
      examples: ['qm forge skill tariffs --description "Tax rates; use for src/tax" --from a.md'],
    },
    input: z.strictObject(ForgeInput),
    output: ForgedDefinition,
  },
  check: {
    summary: "Check agents, commands and skills of this project",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["paths"],
      group: "Setup",
      examples: ["qm forge check", "qm forge check .claude/agents/tax-reviewer.md"],
      notes: ["Exits with 1 if there is a problem."],
    },
    mcp: {
      set: "work",
      rank: 5,
      name: "skill_validate",
      title: "Check agents, commands and skills",
      description:
        "Checks the agent, command and skill files of this repository: frontmatter, size, a description that says when to use it, and qm commands that exist. Use after writing one.",
    },
    input: z.strictObject({
      paths: z
        .array(z.string().min(1).max(4_096))
        .max(100)
        .default([])
        .describe("Files (default: all of this repository)"),
    }),
    output: DefinitionCheck,
  },
  show: {
    summary: "Show an agent, command or skill of this project or of the kit",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["name"], group: "Setup", examples: ["qm forge show research-and-plan"] },
    input: z.strictObject({ name: z.string().min(1).max(60).describe("Its name") }),
    output: DefinitionText,
  },
  diagrams: {
    summary: "Check mermaid diagrams in markdown files",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["paths"],
      group: "Setup",
      examples: ["qm forge diagrams README.md"],
      notes: ["Exits with 1 if there is a problem."],
    },
    mcp: {
      set: "work",
      rank: 6,
      name: "mermaid_validate",
      title: "Check a mermaid diagram",
      description:
        "Checks the syntax of a mermaid diagram, with the line of each problem. Use it before you show or write a diagram.",
    },
    input: z.strictObject({
      text: z.string().max(50_000).optional().describe("A diagram, without its fence"),
      paths: z
        .array(z.string().min(1).max(4_096))
        .max(100)
        .default([])
        .describe("Markdown files of this repository"),
    }),
    output: DiagramCheck,
  },
})
