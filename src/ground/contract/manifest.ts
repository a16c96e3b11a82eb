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
 * When an item enters the window. Of a `name-only` item the name and the description are in the
 * window and its text is not; a `config-only` item is never prompt text.
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
  path: z.string().describe("Where it lies, absolute; a name in angle brackets is no file"),
  label: z.string().describe("The path as a person reads it: from home or the working directory"),
  source: z.string().describe("What kind of source it is for its host, e.g. project-root"),
  priority: z.number().nonnegative().describe("Place of the source in the host's table"),
  order: z.int().nonnegative().describe("Place in load order, from 0"),
  load: Load,
  reason: z.string().describe("Why it is there, in at most a few words"),
  kind: ContextKind,
  tokens: z.int().nonnegative().describe("Tokens in the window before the first word"),
  tokensOnDemand: z.int().nonnegative().describe("Tokens that a later turn may add"),
  bytes: z.int().nonnegative().describe("Size of the raw file"),
  sentBytes: z.int().nonnegative().describe("Size of what is in the window of it"),
  sha256: Sha256.describe("Of the raw file"),
  sentSha256: Sha256.optional().describe("Of what the host sends after its own transformations"),
  modifiedAt: z.int(),
  scope: z.string().describe("Whose it is: managed, user, project, local, memory"),
  trust: z.enum(["own", "project", "external"]),
  importedBy: z
    .object({ path: z.string(), line: z.int().positive() })
    .optional()
    .describe("The file that names it, and the line"),
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

/** Something a person should know about what was found, in words. */
export const ManifestNote = z.object({
  code: z
    .enum([
      "version-unknown",
      "host-unverified",
      "import-unresolved",
      "import-external",
      "import-too-deep",
      "file-too-large",
      "file-cut",
      "file-unreadable",
      "link-outside",
      "settings-broken",
      "rule-never-matches",
      "duplicate",
      "switched-off",
      "too-many",
    ])
    .describe("What it is about"),
  text: z.string().describe("What was found, and what it means"),
  path: z.string().optional(),
  line: z.int().positive().optional(),
})
export type ManifestNote = z.infer<typeof ManifestNote>

/** What is in a window, why, how big, with which hash, since when: the object all rooms share. */
export const Manifest = z.object({
  id: z.string(),
  kind: z.enum(["estimated", "observed", "proposed"]),
  host: z.string(),
  hostVersion: z.string().optional().describe("Of the host that is installed here, if known"),
  workingDirectory: z.string(),
  capturedAt: z.int(),
  estimator: z.string().describe("Name of the token counter"),
  disclaimer: z.string(),
  items: z.array(ManifestItem).describe("What was found, in load order"),
  searched: z.array(SearchedPath).describe("Every path that was looked for"),
  notes: z.array(ManifestNote).describe("What a person should know about it"),
  totals: z.object({
    files: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
    tokensInWindow: z.int().nonnegative(),
    tokensOnDemand: z.int().nonnegative(),
  }),
})
export type Manifest = z.infer<typeof Manifest>
