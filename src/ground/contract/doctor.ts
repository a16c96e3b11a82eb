import { z } from "zod"

export const DoctorInput = z.object({
  attack: z
    .boolean()
    .default(false)
    .describe("Also try to break into the running server, and report what it refused"),
})

/** One thing the doctor looked at. A failing check always says what to do. */
export const DoctorCheck = z.object({
  area: z.enum(["environment", "config", "store", "permissions", "server"]),
  name: z.string(),
  state: z.enum(["ok", "warn", "fail"]),
  detail: z.string(),
  hint: z.string().optional(),
})
export type DoctorCheck = z.infer<typeof DoctorCheck>

export const DoctorReport = z.object({
  checks: z.array(DoctorCheck),
  isHealthy: z.boolean().describe("No check failed; warnings do not count"),
})
export type DoctorReport = z.infer<typeof DoctorReport>
