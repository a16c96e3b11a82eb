import { z } from "zod"
import { ConfigCheck, ConfigLayer, ConfigReport, ConfigSetting } from "../config-report.ts"
import { DoctorReport } from "../doctor.ts"
import { Now } from "../now.ts"
import { defineOperations } from "../operation.ts"

export const configOperations = defineOperations("config", {
  show: {
    summary: "Show every setting and, with --sources, where its value came from",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["key"], group: "Set up" },
    input: z.object({
      key: z.string().optional().describe("One setting or one section, e.g. tokens.encoding"),
      sources: z.boolean().default(false).describe("Say where each value came from"),
    }),
    output: ConfigReport,
  },
  check: {
    summary: "Check the config files, with line, column and the nearest key",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "Set up" },
    input: z.object({}),
    output: ConfigCheck,
  },
  set: {
    summary: "Write a setting to the user's or the project's config file",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["key", "value"], group: "Set up" },
    input: z.object({
      key: z.string().describe("The setting, e.g. tokens.encoding"),
      value: z.string().describe("Its new value, as one would type it"),
      layer: ConfigLayer.default("user").describe("Which file it is written to"),
    }),
    output: ConfigSetting,
  },
  unset: {
    summary: "Take a setting out of the user's or the project's config file",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["key"], group: "Set up" },
    input: z.object({
      key: z.string().describe("The setting, e.g. tokens.encoding"),
      layer: ConfigLayer.default("user").describe("Which file it is taken out of"),
    }),
    output: ConfigSetting,
  },
})

export const doctorOperations = defineOperations("doctor", {
  run: {
    summary: "Check this machine: runtime, config, store, permissions",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["doctor"], group: "Set up" },
    input: z.object({
      attack: z
        .boolean()
        .default(false)
        .describe("Also try to break into the running server, and report what it refused"),
      prove: z
        .boolean()
        .default(false)
        .describe(
          "Also start the hosts on a scripted model of our own, and report which hooks ran",
        ),
      trustHooks: z
        .boolean()
        .default(false)
        .describe("With --prove: let Codex run hooks that nobody has reviewed, for this one time"),
    }),
    output: DoctorReport,
  },
})

export const nowOperations = defineOperations("now", {
  show: {
    summary: "Show where you are, how it is, what runs and what waits for you",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["now"], group: "See" },
    input: z.object({}),
    output: Now,
  },
})

export const demoOperations = defineOperations("demo", {
  create: {
    summary: "Create a small sample repository to try the commands on",
    effect: "write",
    surfaces: ["cli"],
    cli: { words: ["demo"], args: ["folder"], group: "Set up" },
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
