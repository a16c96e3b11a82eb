import { z } from "zod"

export const KIT_HOSTS = ["claude-code", "codex", "antigravity", "copilot", "opencode"] as const
export const KitHost = z.enum(KIT_HOSTS)
export type KitHost = z.infer<typeof KitHost>

/** The purpose of a hook; one process serves all hooks of a host's event. */
export const HOOK_NAMES = [
  "boot",
  "track",
  "drift",
  "concurrency",
  "guideline",
  "risk",
  "pitfall",
  "package",
  "prompt",
  "loaded",
  "window",
  "budget",
  "secrets",
  "results",
  "compaction",
] as const
export const HookName = z.enum(HOOK_NAMES)
export type HookName = z.infer<typeof HookName>

export const GIT_HOOKS = ["pre-commit", "commit-msg", "pre-push"] as const
export type GitHookName = (typeof GIT_HOOKS)[number]

const KitLevel = z.int().min(1).max(7)

/** A file that is written, changed or removed. */
export const KitChange = z.object({
  path: z.string().describe("Absolute, or from the root of the repository"),
  action: z.enum(["create", "change", "remove", "restore", "keep"]),
  host: KitHost.nullable().describe("Null for files of qm and of the repository"),
  what: z.string().describe("Description of the change"),
})
export type KitChange = z.infer<typeof KitChange>

export const KitLevelCost = z.object({
  level: KitLevel,
  adds: z.string().describe("Additions to the level below"),
  hooks: z.array(HookName).describe("All hooks of this level"),
  installs: z.array(z.string()).describe("Commands, agents and skills that this level adds"),
  startTokens: z.int().nonnegative().describe("Tokens in the window before the first prompt"),
  toolCallMs: z
    .number()
    .nonnegative()
    .nullable()
    .describe("Milliseconds that the hooks add to an edit; null if not measured"),
})
export type KitLevelCost = z.infer<typeof KitLevelCost>

export const KitDone = z.object({
  level: KitLevel.nullable().describe("Null after an uninstall"),
  isApplied: z.boolean(),
  changes: z.array(KitChange),
  warnings: z.array(z.string()),
  next: z.array(z.string()).describe("Next steps for the user"),
})
export type KitDone = z.infer<typeof KitDone>

export const KitLevels = z.object({
  current: KitLevel.nullable().describe("Null if the kit is not installed"),
  levels: z.array(KitLevelCost),
  done: KitDone.nullable().describe("Changes made by setting the level"),
})
export type KitLevels = z.infer<typeof KitLevels>

export const HookState = z.object({
  host: KitHost,
  hook: HookName,
  event: z.string().nullable().describe("The host's event; null if it has none"),
  state: z
    .enum(["fired", "installed", "not installed", "not offered"])
    .describe("fired only if a run was observed"),
  at: z.int().nullable().describe("Last time it fired"),
  why: z.string().nullable().describe("Reason why it did not fire, if known"),
})
export type HookState = z.infer<typeof HookState>

export const KitPacks = z.object({
  level: KitLevel.nullable().describe("Null if the kit is not installed"),
  packs: z.array(
    z.object({
      name: z.string().describe("A squad of agents is called squad-dev"),
      state: z.enum(["installed", "partly installed", "removed", "not installed"]),
      level: KitLevel.describe("Lowest level that installs a part of it"),
      tokens: z.int().nonnegative().describe("Tokens at start, of what is installed"),
      allTokens: z.int().nonnegative().describe("Tokens at start, if all of it is installed"),
      items: z.array(
        z.object({
          name: z.string(),
          kind: z.enum(["command", "agent", "skill", "playbook"]),
          description: z.string(),
          isInstalled: z.boolean(),
        }),
      ),
    }),
  ),
  startTokens: z.int().nonnegative().describe("Tokens at start of all that is installed"),
})
export type KitPacks = z.infer<typeof KitPacks>

const DefinitionKind = z.enum(["agent", "command", "skill"])

export const ForgedDefinition = z.object({
  name: z.string(),
  kind: DefinitionKind,
  files: z.array(z.string()).describe("From the root of the repository"),
  tokens: z.int().nonnegative().describe("Tokens at start"),
  next: z.array(z.string()),
})
export type ForgedDefinition = z.infer<typeof ForgedDefinition>

export const DefinitionCheck = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      kind: DefinitionKind,
      name: z.string(),
      tokens: z.int().nonnegative(),
      problems: z.array(z.string()),
    }),
  ),
  startTokens: z.int().nonnegative().describe("Tokens of all names and descriptions"),
  isGood: z.boolean(),
})
export type DefinitionCheck = z.infer<typeof DefinitionCheck>

export const DefinitionText = z.object({
  name: z.string(),
  kind: z.enum(["agent", "command", "skill", "playbook"]),
  description: z.string(),
  path: z.string().nullable().describe("File in the repository; null for one of the kit"),
  pack: z.string().nullable().describe("Pack or squad of the kit"),
  level: z.int().nullable().describe("Lowest level of the kit that installs it"),
  tokens: z.int().nonnegative().describe("Tokens at start"),
  text: z.string(),
  problems: z.array(z.string()),
})
export type DefinitionText = z.infer<typeof DefinitionText>

export const DiagramCheck = z.object({
  diagrams: z.array(
    z.object({
      file: z.string().nullable().describe("Null for the text that was given"),
      line: z.int().positive().describe("First line of the diagram in its file"),
      type: z.string().nullable(),
      isOutline: z.boolean().describe("Only its first line, quotes and brackets were checked"),
      problems: z.array(z.object({ line: z.int().positive(), problem: z.string() })),
    }),
  ),
  isGood: z.boolean(),
})
export type DiagramCheck = z.infer<typeof DiagramCheck>
