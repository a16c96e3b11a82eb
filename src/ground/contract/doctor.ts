import { z } from "zod"
import { HookState } from "./kit.ts"

/** One thing the doctor looked at. A failing check always says what to do. */
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
  hooks: z.array(HookState).describe("Host by hook, where the kit is installed"),
  isHealthy: z.boolean().describe("No check failed; warnings do not count"),
})
export type DoctorReport = z.infer<typeof DoctorReport>
