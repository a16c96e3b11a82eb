import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  ApiVersion,
  ConnectionName,
  ConnectionProvider,
  ConnectionTest,
  ModelConnections,
} from "../shapes/connection.ts"
import { CredentialName } from "../shapes/source.ts"

const name = listedBy("connection.list", ConnectionName.describe("Connection name"))

/** Not for agents: a connection receives the user's key. */
export const connectionOperations = defineOperations("connection", {
  list: {
    summary: "List model connections, and whether each has its key",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      words: ["connection"],
      aliases: ["connection list"],
      group: "Setup",
      examples: ["qm connection"],
    },
    input: z.strictObject({}),
    output: ModelConnections,
    rows: { field: "connections", id: "name", title: ["provider", "model"] },
  },
  add: {
    summary: "Add or replace a model connection that stages choose by name",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      args: ["name"],
      group: "Setup",
      examples: [
        "qm connection add fast --provider anthropic --model claude-haiku-4-5",
        "qm connection add near --provider custom --model m --base-url http://localhost",
      ],
      notes: ["Its key is the credential of the same name: `qm credential set east`."],
    },
    input: z.strictObject({
      name: ConnectionName.describe("Name that stages use: fast"),
      provider: ConnectionProvider.describe("custom is any server with OpenAI's wire format"),
      model: z.string().min(1).max(200).describe("Model, or deployment of Azure"),
      baseUrl: z
        .string()
        .max(2_000)
        .default("")
        .describe("Base URL; required for azure and custom (default: the provider's own)"),
      apiVersion: ApiVersion.describe("Azure API version"),
      purpose: z
        .enum(["answers", "embeddings"])
        .default("answers")
        .describe("Whether it answers questions or makes vectors for knowledge.connection"),
      credential: CredentialName.optional().describe("Name of its key (default: its own name)"),
    }),
    output: ModelConnections,
  },
  remove: {
    summary: "Remove a model connection; its key stays until it is removed too",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["name"], group: "Setup", examples: ["qm connection remove east"] },
    input: z.strictObject({ name }),
    output: ModelConnections,
  },
  test: {
    summary: "Send one short question over a connection and measure the time",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["name"], group: "Setup", examples: ["qm connection test east"] },
    input: z.strictObject({ name }),
    output: ConnectionTest,
  },
})
