import { z } from "zod"
import { HOST_NAMES } from "./capture.ts"
import { HookState } from "./kit.ts"
import { ContextKind } from "./start.ts"

/** A failing check always has a hint. */
export const DoctorCheck = z.object({
  area: z.enum(["environment", "hosts", "config", "store", "permissions", "server", "kit"]),
  name: z.string(),
  state: z.enum(["ok", "warn", "fail"]),
  detail: z.string(),
  hint: z.string().optional(),
})
export type DoctorCheck = z.infer<typeof DoctorCheck>

export const DoctorReport = z.object({
  checks: z.array(DoctorCheck),
  hooks: z.array(HookState).describe("Hooks by host, if the kit is installed"),
  isHealthy: z.boolean().describe("True if no check failed; warnings do not count"),
})
export type DoctorReport = z.infer<typeof DoctorReport>

export const NowRow = z.object({
  id: z.string(),
  kind: z.enum(["run", "pipeline"]).default("run"),
  state: z.enum([
    "queued",
    "running",
    "waiting",
    "paused",
    "done",
    "failed",
    "stopped",
    "interrupted",
  ]),
  title: z.string(),
  ask: z.string().optional().describe("Question for the user"),
  agent: z.string().optional(),
  tokens: z.partialRecord(ContextKind, z.int().nonnegative()).optional(),
  costUsd: z.number().nonnegative().optional(),
  at: z.int().describe("Start of waiting or running, or the end"),
})
export type NowRow = z.infer<typeof NowRow>

export const Now = z.object({
  repository: z.object({
    root: z.string(),
    name: z.string(),
    branch: z.string().nullable().describe("Null outside git or on a detached head"),
  }),
  health: z.object({
    isHealthy: z.boolean(),
    failed: z.int().nonnegative(),
    warnings: z.int().nonnegative(),
  }),
  store: z
    .object({
      dialect: z.string(),
      events: z.int().nonnegative(),
      sizeBytes: z.int().nonnegative(),
    })
    .nullable()
    .describe("Null if the store cannot be opened; health has the reason"),
  spend: z
    .object({
      todayUsd: z.number().nonnegative().nullable().describe("Null if no cost of today is known"),
      runs: z.int().nonnegative().describe("Runs of today with a known cost"),
      unknown: z.int().nonnegative().describe("Runs of today with an unknown cost, not in the sum"),
      days: z
        .array(z.object({ day: z.iso.date(), usd: z.number().nonnegative() }))
        .describe("The last 14 days in local time, oldest first"),
    })
    .describe("Runs and pipelines of this repository; scripted agents cost nothing"),
  isNew: z.boolean().describe("True if nothing ever ran here and no hook reported a session"),
  running: z.array(NowRow),
  waiting: z.array(NowRow),
  ended: z.array(NowRow),
})
export type Now = z.infer<typeof Now>

export const RepositoryState = z.object({
  branch: z.string().nullable(),
  upstream: z.string().nullable().describe("Such as origin/main; null without one"),
  apart: z
    .object({ ahead: z.int().nonnegative(), behind: z.int().nonnegative() })
    .nullable()
    .describe("Commits; null without a fetched upstream"),
  fetchedAt: z.int().nullable().describe("Last fetch, or null"),
  changes: z
    .object({
      modified: z.int().nonnegative(),
      added: z.int().nonnegative(),
      deleted: z.int().nonnegative(),
      conflict: z.int().nonnegative(),
      untracked: z.int().nonnegative(),
      files: z
        .array(
          z.object({
            path: z.string(),
            kind: z.enum(["added", "conflict", "deleted", "modified", "untracked"]),
          }),
        )
        .describe("The first 100 by path"),
    })
    .nullable()
    .describe("Null if the state of the working tree cannot be read"),
  problem: z.string().nullable().describe("Reason why there is no state, or null"),
})
export type RepositoryState = z.infer<typeof RepositoryState>

/** An agent host on this machine and whether Quartermaster is connected to it. */
export const HostStatus = z.object({
  name: z.enum(HOST_NAMES),
  isCaptured: z.boolean().describe("Whether `qm capture` knows what it loads"),
  title: z.string(),
  isInstalled: z.boolean(),
  version: z.string().nullable().describe("Null if unknown or not installed"),
  login: z
    .enum(["found", "missing", "unknown"])
    .describe("Whether a sign-in exists; its file is never opened"),
  loginFrom: z.string().nullable().describe("File or variable of the sign-in, or null"),
  hooks: z
    .enum(["init", "plugin", "both", "none", "not offered"])
    .describe("Where the hooks of Quartermaster come from"),
  program: z.string().nullable().describe("Path of its program, or null"),
  rulesFrom: z
    .string()
    .nullable()
    .describe("Version whose loading rules were tested, or null if they follow its documentation"),
  install: z.string().nullable().describe("Command that installs it, or null"),
})
export type HostStatus = z.infer<typeof HostStatus>
export const HostsList = z.object({ hosts: z.array(HostStatus).describe("Installed ones first") })
export type HostsList = z.infer<typeof HostsList>

/** A repository that one server of this user shows. */
export const RepositoryEntry = z.object({
  id: z.string().describe("Part of its address in the console, after /r/"),
  name: z.string(),
  root: z.string(),
  branch: z.string().nullable(),
  isCurrent: z.boolean().describe("Whether the answer comes from this repository"),
  isMissing: z.boolean().describe("Whether its folder no longer exists"),
  waiting: z.int().nullable().describe("Approvals that wait for the user, null if unknown"),
  addedAt: z.int().nullable().describe("Null if it is not registered"),
  openedAt: z.int().nullable().describe("Last `qm up` in it, or null"),
  health: z
    .enum(["ok", "warning", "missing"])
    .describe("warning: something in `problems` needs the user"),
  problems: z.array(z.string()),
  kitVersion: z.string().nullable().describe("Version that installed the kit; null without one"),
  level: z.int().nullable().describe("Level of the installed kit"),
  claims: z.int().nullable().describe("Open claims of sessions, null if unknown"),
  spendUsd: z
    .number()
    .nullable()
    .describe("Cost of the runs in its store; null without a store in its folder"),
  unknownCosts: z
    .int()
    .nullable()
    .describe("Runs whose cost is unknown, not in `spendUsd`; null without a store in its folder"),
})
export type RepositoryEntry = z.infer<typeof RepositoryEntry>
export const RepositoriesList = z.object({
  repositories: z.array(RepositoryEntry).describe("The last opened first"),
})

export const ConfigSetting = z.object({
  key: z.string(),
  value: z.unknown(),
  origin: z.string().describe("Origin of the value"),
  hides: z.array(z.string()).describe("Lower layers that also set it"),
  description: z.string(),
  env: z.string().describe("Environment variable that sets it"),
  isSecret: z.boolean(),
  schema: z.record(z.string(), z.unknown()).describe("JSON schema of the value, for a form"),
})
export type ConfigSetting = z.infer<typeof ConfigSetting>

const ConfigFileStatus = z.object({ file: z.string(), found: z.boolean() })

export const ConfigReport = z.object({
  settings: z.array(ConfigSetting),
  files: z.array(ConfigFileStatus),
  withSources: z.boolean(),
})
export type ConfigReport = z.infer<typeof ConfigReport>

/** The user's own file, or the project's file for everyone in the repository. */
export const ConfigLayer = z.enum(["user", "project"])
export type ConfigLayer = z.infer<typeof ConfigLayer>

export const ConfigCheck = z.object({
  problems: z.array(
    z.object({
      place: z.string(),
      line: z.int().optional(),
      column: z.int().optional(),
      key: z.string().optional(),
      message: z.string(),
    }),
  ),
  files: z.array(ConfigFileStatus),
  isValid: z.boolean(),
})
export type ConfigCheck = z.infer<typeof ConfigCheck>
