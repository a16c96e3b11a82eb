import { z } from "zod"
import { CredentialName } from "./source.ts"

export const ConnectionName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, "lowercase letters, digits and dashes")

export const ConnectionProvider = z.enum(["anthropic", "openai", "azure", "custom"])

export const ApiVersion = z
  .string()
  .max(40)
  .regex(/^(?:\d{4}-\d{2}-\d{2}(?:-preview)?|v1|preview)?$/, "a date, such as 2025-04-01-preview")
  .default("")

/** A named model of a provider, in the user's `connections.json`. It contains no key. */
export const ModelConnection = z.strictObject({
  name: ConnectionName,
  provider: ConnectionProvider,
  model: z.string().min(1).max(200).describe("Model, or deployment of Azure"),
  baseUrl: z.string().max(2_000).default("").describe("Empty: the provider's own address"),
  apiVersion: ApiVersion.describe("Of Azure; empty: the setting"),
  purpose: z.enum(["answers", "embeddings"]).default("answers"),
  credential: CredentialName.describe("Name of its key in the credential store"),
})
export type ModelConnection = z.infer<typeof ModelConnection>

const ListedConnection = ModelConnection.extend({
  hasKey: z.boolean().describe("Without a key it is not used"),
})
export const ModelConnections = z.object({ connections: z.array(ListedConnection) })
export type ModelConnections = z.infer<typeof ModelConnections>

export const ConnectionTest = z.object({
  name: ConnectionName,
  model: z.string().describe("As the provider names it"),
  durationMs: z.int().nonnegative(),
  usd: z.number().nonnegative().nullable(),
})
export type ConnectionTest = z.infer<typeof ConnectionTest>
