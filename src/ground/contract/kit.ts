import { z } from "zod"

/** Hosts that the kit is installed into; of the others it only reads. */
export const KIT_HOSTS = ["claude-code", "codex", "antigravity"] as const
export const KitHost = z.enum(KIT_HOSTS)
export type KitHost = z.infer<typeof KitHost>

/** What a hook is for; one process serves all that a host's event is about. */
export const HOOK_NAMES = [
  "boot",
  "track",
  "drift",
  "concurrency",
  "risk",
  "pitfall",
  "package",
  "loaded",
] as const
export const HookName = z.enum(HOOK_NAMES)
export type HookName = z.infer<typeof HookName>

/** Hooks of git itself. */
export const GIT_HOOKS = ["pre-commit", "commit-msg", "pre-push"] as const
export type GitHookName = (typeof GIT_HOOKS)[number]

const KitLevel = z.int().min(1).max(7)

/** A file that is written, changed or taken away; nothing else is touched. */
export const KitChange = z.object({
  path: z.string().describe("Absolute, or from the root of the repository"),
  action: z.enum(["create", "change", "remove", "restore", "keep"]),
  host: KitHost.nullable().describe("null for what belongs to the repository"),
  what: z.string().describe("In words: what is put there or taken away"),
})
export type KitChange = z.infer<typeof KitChange>

export const KitLevelCost = z.object({
  level: KitLevel,
  adds: z.string().describe("What it has that the one below has not"),
  hooks: z.array(HookName).describe("All hooks of this level"),
  startTokens: z.int().nonnegative().describe("In the window before the first word"),
  toolCallMs: z
    .number()
    .nonnegative()
    .nullable()
    .describe("A person waits so long for the hooks of an edit; null when not measured"),
})
export type KitLevelCost = z.infer<typeof KitLevelCost>

export const KitDone = z.object({
  level: KitLevel.nullable().describe("null after an uninstall"),
  isApplied: z.boolean(),
  changes: z.array(KitChange),
  warnings: z.array(z.string()),
  next: z.array(z.string()).describe("What is left for a person to do"),
})
export type KitDone = z.infer<typeof KitDone>

export const KitLevels = z.object({
  current: KitLevel.nullable().describe("null where the kit is not installed"),
  levels: z.array(KitLevelCost),
  done: KitDone.nullable().describe("What setting it changed"),
})
export type KitLevels = z.infer<typeof KitLevels>

/** One hook of one host, as the doctor sees it. */
export const HookState = z.object({
  host: KitHost,
  hook: HookName,
  event: z.string().nullable().describe("The host's event; null where it has none for it"),
  state: z
    .enum(["fired", "installed", "not installed", "not offered"])
    .describe("Only what was seen to run has fired"),
  at: z.int().nullable().describe("When it last fired"),
  why: z.string().nullable().describe("Why it did not, where that is known"),
})
export type HookState = z.infer<typeof HookState>
