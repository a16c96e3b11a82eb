import { z } from "zod"

/** The seven kinds of context, in the order in which the budget bar draws them. */
export const CONTEXT_KINDS = [
  "instructions",
  "files",
  "symbols",
  "knowledge",
  "memory",
  "tools",
  "history",
] as const
export const ContextKind = z.enum(CONTEXT_KINDS)
export type ContextKind = z.infer<typeof ContextKind>

/**
 * When an item enters the window. `name-only` and `config-only` items are found and shown, but
 * their text is not in the window and is not counted there.
 */
export const Load = z.enum([
  "always",
  "startup-capped",
  "import",
  "conditional",
  "on-demand",
  "name-only",
  "config-only",
])
export type Load = z.infer<typeof Load>

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const ManifestItem = z.object({
  path: z.string(),
  label: z.string(),
  source: z.string().describe("What kind of source it is for its host, e.g. project-root"),
  order: z.int().nonnegative().describe("Place in load order, from 0"),
  load: Load,
  reason: z.string().describe("Why it is there, in at most a few words"),
  kind: ContextKind,
  tokens: z.int().nonnegative().describe("Tokens of what is really sent"),
  bytes: z.int().nonnegative().describe("Size of the raw file"),
  sha256: Sha256.describe("Of the raw file"),
  sentSha256: Sha256.optional().describe("Of what the host sends after its own transformations"),
  modifiedAt: z.int(),
  scope: z.string(),
  trust: z.enum(["own", "project", "external"]),
  redactions: z.int().nonnegative().describe("Secrets replaced before it was shown"),
})
export type ManifestItem = z.infer<typeof ManifestItem>

export const SearchedPath = z.object({
  path: z.string(),
  source: z.string(),
  outcome: z.enum(["found", "missing", "empty", "unreadable", "excluded"]),
  detail: z.string().optional(),
})
export type SearchedPath = z.infer<typeof SearchedPath>

/** What is in a window, why, how big, with which hash, since when: the object all rooms share. */
export const Manifest = z.object({
  id: z.string(),
  kind: z.enum(["estimated", "observed", "proposed"]),
  host: z.string(),
  hostVersion: z.string().optional(),
  workingDirectory: z.string(),
  capturedAt: z.int(),
  estimator: z.string().describe("Name of the token counter"),
  disclaimer: z.string(),
  items: z.array(ManifestItem),
  searched: z.array(SearchedPath),
  totals: z.object({
    files: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
    tokensInWindow: z.int().nonnegative(),
    tokensOnDemand: z.int().nonnegative(),
  }),
})
export type Manifest = z.infer<typeof Manifest>
