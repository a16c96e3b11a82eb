import { z } from "zod"
import { listedBy } from "../input-fields.ts"
import { defineOperations } from "../operation.ts"
import { Permissions } from "../shapes/run.ts"

export const permissionsOperations = defineOperations("permissions", {
  list: {
    summary: "List permission rules in the order they are applied",
    effect: "read",
    surfaces: ["cli", "http"],
    cli: { words: ["permissions"], group: "Guard", examples: ["qm permissions"] },
    input: z.object({}),
    output: Permissions,
    rows: { field: "rules", id: "id", title: ["decision", "tool", "command", "path"] },
  },
  add: {
    summary: "Add a permission rule to the project's rules file",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: {
      args: ["decision"],
      group: "Guard",
      examples: ['qm permissions add allow --tool Bash --command "npm test *"'],
    },
    input: z.object({
      decision: z.enum(["allow", "ask", "deny"]).describe("Decision when the rule matches"),
      tool: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("Tool name; * matches any text (default: any tool)"),
      command: z
        .string()
        .min(1)
        .max(2_000)
        .optional()
        .describe("Command, or its beginning followed by *"),
      path: z.string().min(1).max(1_000).optional().describe("Glob from the repository root"),
    }),
    output: Permissions,
  },
  remove: {
    summary: "Remove a permission rule from the project's rules file",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { args: ["id"], group: "Guard", examples: ["qm permissions remove rule_abc123"] },
    input: z.object({
      id: listedBy(
        "permissions.list",
        z.string().min(1).max(100).describe("Rule id, listed by `qm permissions`"),
      ),
    }),
    output: Permissions,
  },
  trust: {
    summary: "Trust the project's rules file in its current version",
    effect: "write",
    role: "owner",
    surfaces: ["cli", "http"],
    cli: { group: "Guard", examples: ["qm permissions trust"] },
    input: z.object({
      digest: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe("Digest of the version you read; fails if the file has changed"),
    }),
    output: Permissions,
  },
})
