import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import {
  GatewayCache,
  GatewayDeleted,
  GatewayFolded,
  GatewayList,
  GatewayManifest,
  GatewayMasks,
  GatewayShow,
  GatewayTexts,
} from "../shapes/gateway.ts"

const SessionOrRun = z.string().min(1).max(100)

const GatewayRequestInput = z.object({
  id: listedBy("gateway.list", SessionOrRun.describe("Proxied session id, or last for the newest")),
  seq: z.int().positive().describe("Number of the request in the session"),
})

export const gatewayOperations = defineOperations("gateway", {
  list: {
    summary: "List proxied sessions, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      words: ["gateway"],
      aliases: ["gateway list"],
      group: "Gateway",
      examples: ["qm gateway", "qm gateway --run run_abc123"],
    },
    input: z.object({
      run: listedBy(
        "agents.list",
        z.string().min(1).max(100).optional().describe("Only the sessions of this run"),
      ),
      session: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("Only those with requests of this session id of the host; may be none"),
      limit: z.int().min(1).max(500).default(50).describe("Maximum number of sessions"),
    }),
    output: GatewayList,
    rows: { field: "sessions", id: "id", title: ["title", "workingDirectory"], newest: "last" },
  },
  show: {
    summary: "Show the requests of a run or proxied session, with cost and changes",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Gateway", examples: ["qm gateway show last"] },
    input: z.object({
      id: listedBy(
        "gateway.list",
        SessionOrRun.describe("Run id, proxied session id, or last for the newest session"),
      ),
      limit: z
        .int()
        .min(1)
        .max(2_000)
        .default(500)
        .describe("Maximum number of requests, newest first"),
    }),
    output: GatewayShow,
  },
  cache: {
    summary: "Explain the cache misses of a run or session, with tokens and cost",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: {
      args: ["id"],
      group: "Gateway",
      examples: ["qm gateway cache last", "qm gateway cache run_abc123 --misses"],
    },
    input: z.object({
      id: listedBy(
        "gateway.list",
        SessionOrRun.describe("Run id, proxied session id, or last for the newest session"),
      ),
      misses: z.boolean().default(false).describe("Only requests that missed the cache"),
      limit: z
        .int()
        .min(1)
        .max(2_000)
        .default(500)
        .describe("Maximum number of requests, newest first"),
    }),
    output: GatewayCache,
  },
  masks: {
    summary: "List the masked tool results of a run or session, with re-reads",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Gateway", examples: ["qm gateway masks last"] },
    input: z.object({
      id: listedBy(
        "gateway.list",
        SessionOrRun.describe("Run id, proxied session id, or last for the newest session"),
      ),
    }),
    output: GatewayMasks,
  },
  fold: {
    summary: "Fold the tool results of finished requests into a summary of yours",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: {
      args: ["id"],
      group: "Gateway",
      examples: ['qm gateway fold last --from 3 --to 9 --summary "The login is in src/auth.ts"'],
    },
    input: z.object({
      id: listedBy(
        "gateway.list",
        SessionOrRun.describe("Run id, proxied session id, or last for the newest session"),
      ),
      from: z.int().positive().describe("Number of the first request"),
      to: z.int().positive().describe("Number of the last request"),
      summary: z.string().min(1).max(8_000).describe("Text that stays in place of the results"),
    }),
    output: GatewayFolded,
  },
  request: {
    summary: "Show everything one request sent to the model",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "seq"], group: "Gateway", examples: ["qm gateway request last 3"] },
    input: GatewayRequestInput,
    output: GatewayManifest,
  },
  texts: {
    summary: "Show the stored text of one request, or search it",
    effect: "read",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      args: ["id", "seq"],
      group: "Gateway",
      examples: ['qm gateway texts last 3 --query "login"'],
    },
    input: GatewayRequestInput.extend({
      query: z.string().max(500).optional().describe("Only parts with these words"),
      from: z.int().nonnegative().default(0).describe("Number of the first part, from 0"),
      limit: z.int().min(1).max(500).default(100).describe("Maximum number of parts"),
    }),
    output: GatewayTexts,
  },
  delete: {
    summary: "Delete a proxied session with its recorded requests",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Gateway", examples: ["qm gateway delete gw_abc123"] },
    input: z.object({
      id: listedBy(
        "gateway.list",
        z.string().min(1).max(100).describe("Proxied session id, listed by `qm gateway`"),
      ),
    }),
    output: GatewayDeleted,
  },
})
