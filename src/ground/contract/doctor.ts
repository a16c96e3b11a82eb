import { z } from "zod"
import { HookState } from "./kit.ts"

/** A failing check always has a hint. */
export const DoctorCheck = z.object({
  area: z.enum(["environment", "config", "store", "permissions", "server", "kit"]),
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
