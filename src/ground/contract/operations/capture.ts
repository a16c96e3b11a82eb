import { z } from "zod"
import {
  Capture,
  CaptureDiff,
  CaptureHosts,
  CaptureList,
  CaptureSettings,
  CaptureText,
  HostName,
} from "../capture.ts"
import { defineOperations } from "../operation.ts"

const CaptureId = z.string().min(1).max(100)

const place = {
  path: z.string().min(1).default(".").describe("Directory in which the agent would start"),
  host: HostName.default("claude-code").describe("Whose context is shown"),
}

export const captureOperations = defineOperations("capture", {
  list: {
    summary: "List earlier captures, newest first",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { group: "See" },
    input: z.object({
      path: z.string().min(1).optional().describe("Only captures of this directory"),
      host: HostName.optional().describe("Only captures of this host"),
      limit: z.int().min(1).max(500).default(50).describe("At most so many captures"),
    }),
    output: CaptureList,
  },
  show: {
    summary: "Show an earlier capture",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["id"], group: "See" },
    input: z.object({
      id: CaptureId.describe("Id of the capture; last for the newest"),
      content: z.boolean().default(false).describe("Also show the text of each file"),
    }),
    output: Capture,
  },
  text: {
    summary: "Show the text of one item of a capture, secrets replaced",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "path"], group: "See" },
    input: z.object({
      id: CaptureId.describe("Id of the capture"),
      path: z.string().min(1).describe("Path of the item as the capture names it"),
    }),
    output: CaptureText,
  },
  diff: {
    summary: "Compare two captures: added, removed, changed, grown",
    effect: "read",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["from", "to"], group: "See" },
    input: z.object({
      from: CaptureId.describe("Id of the older capture"),
      to: CaptureId.default("last").describe("Id of the newer one"),
    }),
    output: CaptureDiff,
  },
  take: {
    summary: "Show what an agent loads in a directory, in what order, why, and what it costs",
    effect: "write",
    surfaces: ["cli", "http", "mcp"],
    cli: { words: ["capture"], args: ["path"], group: "See" },
    mcp: {
      set: "core",
      name: "capture",
      rank: 8,
      title: "Show what a host loads",
      description:
        "What an agent host puts into its window in this repository before the first word: files in load order, why each, and what it costs.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      // Only this repository, and never by starting the host: our tools run nothing (TB5).
      fields: { host: "host" },
      texts: { host: "" },
    },
    input: z.object({
      ...place,
      content: z.boolean().default(false).describe("Also show the text of each file"),
      diff: CaptureId.optional().describe("Compare with this earlier capture; last for the newest"),
      observe: z
        .boolean()
        .default(false)
        .describe("Also start the host and ask it; no model is called"),
      trust: z
        .boolean()
        .default(false)
        .describe("Let observe start the host in a folder it does not trust"),
      save: z.boolean().default(true).describe("Keep it in the history"),
    }),
    output: Capture,
  },
  settings: {
    summary: "Show a host's settings in force, what they hide, and its MCP servers",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["path"], group: "See" },
    input: z.object(place),
    output: CaptureSettings,
  },
  hosts: {
    summary: "List the agent hosts that are known, and those found here",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { group: "See" },
    input: z.object({}),
    output: CaptureHosts,
  },
})
