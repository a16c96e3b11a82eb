import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  Capture,
  CaptureDiff,
  CaptureHosts,
  CaptureLint,
  CaptureList,
  CaptureSettings,
  CaptureText,
  HostName,
} from "../shapes/capture.ts"

const CaptureId = z.string().min(1).max(100)

const place = {
  path: z
    .string()
    .min(1)
    .max(4_096)
    .default(".")
    .describe("Directory in which the agent would start"),
  host: HostName.default("claude-code").describe("Agent whose context to show"),
}

export const captureOperations = defineOperations("capture", {
  list: {
    summary: "List stored captures, newest first",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http", "mcp"],
    cli: { group: "Context", examples: ["qm capture list --host codex --limit 10"] },
    input: z.object({
      path: z.string().min(1).max(4_096).optional().describe("Only captures of this directory"),
      host: HostName.optional().describe("Only captures of this host"),
      limit: z.int().min(1).max(500).default(50).describe("Maximum number of captures"),
    }),
    output: CaptureList,
    rows: { field: "captures", id: "id", title: ["host", "workingDirectory"], newest: "last" },
  },
  show: {
    summary: "Show a stored capture",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http", "mcp"],
    cli: { args: ["id"], group: "Context", examples: ["qm capture show last --content"] },
    input: z.object({
      id: listedBy("capture.list", CaptureId.describe("Capture id, or last for the newest")),
      content: z.boolean().default(false).describe("Also show the text of each file"),
    }),
    output: Capture,
  },
  text: {
    summary: "Show the text of one file in a capture, with secrets redacted",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "path"], group: "Context", examples: ["qm capture text last CLAUDE.md"] },
    input: z.object({
      id: listedBy("capture.list", CaptureId.describe("Capture id, or last for the newest")),
      path: z.string().min(1).max(4_096).describe("Path of the file, as the capture lists it"),
    }),
    output: CaptureText,
  },
  diff: {
    summary: "Compare two captures: files added, removed and changed",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      args: ["from", "to"],
      group: "Context",
      examples: ["qm capture diff cap_abc123", "qm capture diff cap_abc123 cap_def456"],
    },
    input: z.object({
      from: listedBy("capture.list", CaptureId.describe("Id of the older capture")),
      to: listedBy("capture.list", CaptureId.default("last").describe("Id of the newer capture")),
    }),
    output: CaptureDiff,
  },
  take: {
    summary: "Show what an agent loads here, in load order, with reasons and tokens",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http", "mcp"],
    cli: {
      words: ["capture"],
      args: ["path"],
      group: "Context",
      examples: ["qm capture", "qm capture packages/api --host codex", "qm capture --diff last"],
    },
    mcp: {
      set: "core",
      name: "capture",
      rank: 8,
      title: "Show what an agent loads",
      description:
        "Show what an agent loads into its context window in this repository before the first prompt: files in load order, with reason and token count.",
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
      // Only this repository, and without starting the host: our tools start no process (TB5).
      fields: { host: "host" },
      texts: { host: "" },
    },
    input: z.object({
      ...place,
      content: z.boolean().default(false).describe("Also show the text of each file"),
      diff: listedBy(
        "capture.list",
        CaptureId.optional().describe("Compare with this capture: an id, or last for the newest"),
      ),
      observe: z
        .boolean()
        .default(false)
        .describe("Also start the host and compare with what it reports; calls no model"),
      trust: z
        .boolean()
        .default(false)
        .describe("Let --observe start the host in a folder the host does not trust"),
      askServers: z
        .boolean()
        .default(false)
        .describe("Also start the configured MCP servers and count the tools they list"),
      save: z.boolean().default(true).describe("Store the capture in the history"),
    }),
    output: Capture,
  },
  lint: {
    summary: "Check what an agent loads; exits with 1 if there is something to cut",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      args: ["path"],
      group: "Context",
      examples: ["qm capture lint", "qm capture lint --json"],
    },
    input: z.object(place),
    output: CaptureLint,
  },
  settings: {
    summary: "Show a host's settings, their origin, and its MCP servers",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["path"], group: "Context", examples: ["qm capture settings --host claude-code"] },
    input: z.object({
      ...place,
      commandLine: z
        .string()
        .max(100_000)
        .min(1)
        .optional()
        .describe("Settings passed to the host with --settings: JSON or a file"),
    }),
    output: CaptureSettings,
  },
  hosts: {
    summary: "List supported agent hosts and which are installed here",
    effect: "read",
    surfaces: ["http"],
    input: z.object({}),
    output: CaptureHosts,
  },
})
