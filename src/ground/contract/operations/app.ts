import { z } from "zod"
import { ConfigCheck, ConfigLayer, ConfigReport, ConfigSetting } from "../config-report.ts"
import { DoctorReport } from "../doctor.ts"
import { Now } from "../now.ts"
import { defineOperations } from "../operation.ts"

export const configOperations = defineOperations("config", {
  show: {
    summary: "Show settings and, with --sources, where each value comes from",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["key"],
      group: "Setup",
      examples: ["qm config show --sources", "qm config show pack"],
    },
    input: z.object({
      key: z
        .string()
        .optional()
        .describe("Setting or section, such as tokens.encoding or tokens (default: all)"),
      sources: z.boolean().default(false).describe("Show where each value comes from"),
    }),
    output: ConfigReport,
  },
  check: {
    summary: "Check the config files and report line, column and nearest key",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Setup", examples: ["qm config check"] },
    input: z.object({}),
    output: ConfigCheck,
  },
  set: {
    summary: "Change a setting in the user's or the project's config file",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["key", "value"],
      group: "Setup",
      examples: ["qm config set pack.budget 16000", "qm config set kit.level 3 --layer project"],
    },
    input: z.object({
      key: z.string().describe("Setting, such as tokens.encoding"),
      value: z.string().describe("New value"),
      layer: ConfigLayer.default("user").describe("File to write to"),
    }),
    output: ConfigSetting,
  },
  unset: {
    summary: "Remove a setting from the user's or the project's config file",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["key"], group: "Setup", examples: ["qm config unset pack.budget"] },
    input: z.object({
      key: z.string().describe("Setting, such as tokens.encoding"),
      layer: ConfigLayer.default("user").describe("File to remove it from"),
    }),
    output: ConfigSetting,
  },
})

export const doctorOperations = defineOperations("doctor", {
  run: {
    summary: "Check this machine: runtime, config, store, permissions, hooks",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["doctor"], group: "Setup", examples: ["qm doctor", "qm doctor --attack"] },
    input: z.object({
      attack: z
        .boolean()
        .default(false)
        .describe("Also attack the running server and report what it refused"),
      prove: z
        .boolean()
        .default(false)
        .describe("Also start each host with a scripted model and report which hooks ran"),
      trustHooks: z
        .boolean()
        .default(false)
        .describe("With --prove: let Codex run unreviewed hooks, this time only"),
    }),
    output: DoctorReport,
  },
})

export const nowOperations = defineOperations("now", {
  show: {
    summary: "Show repository status, running agents and pending approvals",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["now"], alsoWords: ["status"], group: "Runs", examples: ["qm now"] },
    input: z.object({}),
    output: Now,
  },
})

export const demoOperations = defineOperations("demo", {
  create: {
    summary: "Create a small sample repository to try the commands on",
    effect: "write",
    surfaces: ["cli"],
    cli: { words: ["demo"], args: ["folder"], group: "Setup", examples: ["qm demo"] },
    input: z.object({
      folder: z.string().min(1).default("qm-demo").describe("New or empty folder"),
    }),
    output: z.object({
      folder: z.string().describe("Absolute path of the repository"),
      files: z.int().describe("Number of files written"),
      commits: z.int().describe("Number of commits made; 0 where git is missing"),
    }),
  },
})
