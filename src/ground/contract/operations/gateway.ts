import { z } from "zod"
import {
  GatewayDeleted,
  GatewayList,
  GatewayManifest,
  GatewayShow,
  GatewayTexts,
} from "../gateway.ts"
import { defineOperations } from "../operation.ts"

const CarryOrRun = z.string().min(1).max(100)

const GatewayRequestInput = z.object({
  id: CarryOrRun.describe("Id of the carry; last for the newest"),
  seq: z.int().positive().describe("Number of the request in it"),
})

export const gatewayOperations = defineOperations("gateway", {
  list: {
    summary: "List the hosts whose requests went through the gateway, newest first",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["gateway"], alsoWords: ["gateway", "list"], group: "Act" },
    input: z.object({
      run: z.string().min(1).max(100).optional().describe("Only of this run"),
      limit: z.int().min(1).max(500).default(50),
    }),
    output: GatewayList,
  },
  show: {
    summary: "Show the requests of a run or a carry, with what each cost and what was new",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Act" },
    input: z.object({
      id: CarryOrRun.describe("Id of a run, or of a carry; last for the newest carry"),
      limit: z
        .int()
        .min(1)
        .max(2_000)
        .default(500)
        .describe("At most so many requests, the newest"),
    }),
    output: GatewayShow,
  },
  request: {
    summary: "Show everything that one request to a model held",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "seq"], group: "Act" },
    input: GatewayRequestInput,
    output: GatewayManifest,
  },
  texts: {
    summary: "Show the texts of one request, or those with certain words, when they were kept",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { args: ["id", "seq"], group: "Act" },
    input: GatewayRequestInput.extend({
      query: z.string().max(500).optional().describe("Only pieces that have these words"),
      from: z.int().nonnegative().default(0).describe("Place of the first piece, from 0"),
      limit: z.int().min(1).max(500).default(100),
    }),
    output: GatewayTexts,
  },
  delete: {
    summary: "Delete what was recorded of one carry",
    effect: "write",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Act" },
    input: z.object({ id: z.string().min(1).max(100).describe("A carry") }),
    output: GatewayDeleted,
  },
})
