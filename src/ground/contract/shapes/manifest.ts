import { z } from "zod"
import { CaptureStart, ContextKind } from "./start.ts"
import { TokenScale } from "./tokens.ts"

/**
 * When an item enters the window. A `name-only` item has its name and description in the window; a
 * `config-only` item is never prompt text.
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
  path: z.string().describe("Absolute path; a name in angle brackets is not a file"),
  label: z.string().describe("Path for display, relative to home or the working directory"),
  source: z.string().describe("Kind of source for the host, e.g. project-root"),
  priority: z.number().nonnegative().describe("Position of the source in the host's table"),
  order: z.int().nonnegative().describe("Position in load order, from 0"),
  load: Load,
  reason: z.string().describe("Reason, in a few words"),
  kind: ContextKind,
  tokens: z.int().nonnegative().describe("Tokens in the window before the first prompt"),
  tokensOnDemand: z.int().nonnegative().describe("Tokens that a later turn may add"),
  bytes: z.int().nonnegative().describe("Size of the file"),
  sentBytes: z.int().nonnegative().describe("Size of its text in the window"),
  sha256: Sha256.describe("Hash of the file"),
  sentSha256: Sha256.optional().describe("Hash of the text after the host's transformations"),
  modifiedAt: z.int(),
  scope: z.string().describe("Owner: managed, user, project, local, memory"),
  trust: z.enum(["own", "project", "external"]),
  importedBy: z
    .object({ path: z.string(), line: z.int().positive() })
    .optional()
    .describe("File and line that name it"),
  redactions: z.int().nonnegative().describe("Secrets redacted before it was shown"),
})
export type ManifestItem = z.infer<typeof ManifestItem>

export const SearchedPath = z.object({
  path: z.string(),
  source: z.string(),
  outcome: z.enum(["found", "missing", "empty", "unreadable", "excluded"]),
  detail: z.string().optional(),
})
export type SearchedPath = z.infer<typeof SearchedPath>

/** A remark for the user. */
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
      "secret-sent",
      "listing-shortened",
    ])
    .describe("Subject of the note"),
  text: z.string().describe("Finding and its meaning"),
  path: z.string().optional(),
  line: z.int().positive().optional(),
})
export type ManifestNote = z.infer<typeof ManifestNote>

/** The contents of a context window: items with reason, size and hash. */
export const Manifest = z.object({
  id: z.string(),
  kind: z.enum(["estimated", "observed", "proposed"]),
  host: z.string(),
  hostVersion: z.string().optional().describe("Version of the installed host, if known"),
  workingDirectory: z.string(),
  capturedAt: z.int(),
  estimator: z.string().describe("Name of the token counter"),
  scale: TokenScale.optional().describe("Absent if the tokens are those of the token counter"),
  disclaimer: z.string(),
  items: z.array(ManifestItem).describe("Items in load order"),
  searched: z.array(SearchedPath).describe("All searched paths"),
  notes: z.array(ManifestNote).describe("Remarks for the user"),
  totals: z.object({
    files: z.int().nonnegative(),
    bytes: z.int().nonnegative(),
    tokensInWindow: z.int().nonnegative(),
    tokensOnDemand: z.int().nonnegative(),
  }),
  start: CaptureStart.optional().describe(
    "Texts and tools of the host itself, and parts of unknown size",
  ),
})
export type Manifest = z.infer<typeof Manifest>
