import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import { AgentType } from "../shapes/agent.ts"
import {
  RemoteMessage,
  RemoteMessages,
  RemoteMode,
  RemoteName,
  RemoteReported,
  RemoteRepository,
  RemoteRun,
  RemoteRunner,
  RemoteRunners,
  RemoteRuns,
  RemoteState,
  RunnerId,
  SharedItem,
  SharedItems,
} from "../shapes/remote.ts"

const MOST_REPOSITORIES = 50
const MOST_MESSAGES = 200
const MOST_ITEMS = 200

const runId = z
  .string()
  .min(1)
  .max(100)
  .describe("Id of a run on a runner, listed by `qm runners runs`")

const listedRun = listedBy("remote.runs", runId)

/** Not for agents. `attach`, `poll` and `report` are what `qm connect` calls. */
export const remoteOperations = defineOperations("remote", {
  list: {
    summary: "List machines that are connected to this server and what they share",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runners"], group: "People", examples: ["qm runners"] },
    input: z.strictObject({}),
    output: RemoteRunners,
    rows: { field: "runners", id: "id", title: ["name", "person"] },
  },
  runs: {
    summary: "List runs that were requested on connected machines, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runners", "runs"], group: "People", examples: ["qm runners runs"] },
    input: z.strictObject({
      limit: z.int().min(1).max(200).default(50).describe("Maximum number of runs"),
    }),
    output: RemoteRuns,
    rows: { field: "runs", id: "id", title: ["prompt"] },
  },
  messages: {
    summary: "Show the messages that a connected machine sent of a run",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runners", "messages"],
      args: ["id"],
      group: "People",
      examples: ["qm runners messages rr_abc123"],
    },
    input: z.strictObject({
      id: listedRun,
      after: z.int().nonnegative().default(0).describe("Only messages after this number"),
    }),
    output: RemoteMessages,
  },
  shared: {
    summary: "List sessions, tickets and memories that connected machines share",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["runners", "shared"], group: "People", examples: ["qm runners shared"] },
    input: z.strictObject({
      runner: RunnerId.optional().describe("Only items of this runner"),
      limit: z.int().min(1).max(1_000).default(200).describe("Maximum number of items"),
    }),
    output: SharedItems,
  },
  start: {
    summary: "Ask a connected machine to start an agent; its user must agree there",
    effect: "write",
    quota: "run",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runners", "start"],
      args: ["runner", "repository", "prompt"],
      group: "People",
      examples: ['qm runners start rn_abc123 shop "add a test for the login"'],
      flagNames: { type: "agent" },
    },
    input: z.strictObject({
      runner: listedBy(
        "remote.list",
        RunnerId.describe("Id of the runner, listed by `qm runners`"),
      ),
      repository: RemoteName.describe("Name of a repository of that runner"),
      prompt: z.string().trim().min(1).max(100_000).describe("Task for the agent"),
      type: AgentType.default("claude-code").describe("Agent to start"),
      mode: RemoteMode.default("ask").describe("Actions allowed without asking on that machine"),
    }),
    output: RemoteRun,
  },
  stop: {
    summary: "Ask a connected machine to stop a run",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      words: ["runners", "stop"],
      args: ["id"],
      group: "People",
      examples: ["qm runners stop rr_abc123"],
    },
    input: z.strictObject({ id: listedRun }),
    output: RemoteRun,
  },
  attach: {
    summary: "Register this machine as a runner, with the names of its repositories",
    effect: "write",
    surfaces: ["http"],
    input: z.strictObject({
      id: RunnerId,
      name: RemoteName,
      repositories: z.array(RemoteRepository).max(MOST_REPOSITORIES),
    }),
    output: RemoteRunner,
  },
  poll: {
    summary: "Return the open runs of a runner, and note that it is connected",
    effect: "read",
    role: "operator",
    surfaces: ["http"],
    input: z.strictObject({ id: RunnerId }),
    output: RemoteRuns,
  },
  report: {
    summary: "Store states and messages of runs, and shared items of a runner, each once",
    effect: "write",
    surfaces: ["http"],
    input: z.strictObject({
      id: RunnerId,
      states: z
        .array(z.strictObject({ run: runId, state: RemoteState, note: z.string().max(2_000) }))
        .max(MOST_MESSAGES)
        .default([]),
      messages: z
        .array(RemoteMessage.extend({ run: runId }))
        .max(MOST_MESSAGES)
        .default([]),
      items: z.array(SharedItem).max(MOST_ITEMS).default([]),
    }),
    output: RemoteReported,
  },
})
