import { z } from "zod"

export const SourceSlug = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,59}$/, "lowercase letters, digits and dashes")

/** An MCP server, as `sources/<slug>/config.json` describes it. */
export const SourceConfig = z.strictObject({
  title: z.string().min(1).max(100),
  description: z.string().max(500).default(""),
  provides: z.array(z.enum(["web-search", "other"])).default([]),
  tool: z.string().optional().describe("Tool for searches; default: the first suitable one"),
  transport: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("stdio"),
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      env: z.array(z.string()).default([]).describe("Names of environment variables it gets"),
    }),
    z.strictObject({
      type: z.literal("http"),
      url: z.string().regex(/^https?:\/\//, "an address that starts with http:// or https://"),
      credential: z
        .string()
        .optional()
        .describe("Name in the credential store, sent as bearer token"),
    }),
  ]),
  timeoutMs: z.int().min(100).max(600_000).default(20_000),
})
export type SourceConfig = z.infer<typeof SourceConfig>

export const SourceHealth = z.enum(["unknown", "ok", "slow", "dead", "unapproved", "invalid"])
export type SourceHealth = z.infer<typeof SourceHealth>

export const Source = z.object({
  slug: SourceSlug,
  title: z.string(),
  description: z.string(),
  origin: z.enum(["shipped", "user", "project"]),
  provides: z.array(z.string()),
  command: z.string().describe("The complete command or address"),
  digest: z.string().describe("Digest of its description; the user approves this digest"),
  isApproved: z.boolean(),
  health: SourceHealth,
  problem: z.string().nullable(),
  tools: z.array(z.string()).nullable().describe("Null before the first test"),
})
export type Source = z.infer<typeof Source>

export const SourceList = z.object({ sources: z.array(Source) })
export type SourceList = z.infer<typeof SourceList>
export const SourceTest = z.object({
  source: Source,
  durationMs: z.int().nonnegative(),
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
})
export type SourceTest = z.infer<typeof SourceTest>

/** A credential is written and used, never returned. */
export const CredentialName = z
  .string()
  .regex(/^[a-z][a-z0-9._-]{0,59}$/, "lowercase letters, digits, dots and dashes")
export const Credentials = z.object({
  credentials: z.array(z.object({ name: CredentialName, setAt: z.int() })),
  keptBy: z.enum(["key file", "passphrase"]).describe("Origin of the encryption key"),
  warning: z.string().nullable(),
})
export type Credentials = z.infer<typeof Credentials>
