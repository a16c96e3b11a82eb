import { z } from "zod"

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

const ConfigFileSeen = z.object({ file: z.string(), found: z.boolean() })

export const ConfigReport = z.object({
  settings: z.array(ConfigSetting),
  files: z.array(ConfigFileSeen),
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
  files: z.array(ConfigFileSeen),
  isValid: z.boolean(),
})
export type ConfigCheck = z.infer<typeof ConfigCheck>
