import { describe, expect, it } from "vitest"
import { pausedSessions, shownStatus } from "./paused-sessions.ts"

const line = (session: string | null, status: "paused" | "completed", updatedAt = 1) => ({
  session,
  status,
  updatedAt,
})

describe("sessions that wait for an answer", () => {
  it("[CONSOLE-104] only the newest pipeline of a session counts", () => {
    const paused = pausedSessions([
      line("run_1", "paused", 7),
      line("run_1", "completed"),
      line("run_2", "completed"),
      line("run_2", "paused"),
      line(null, "paused"),
    ])
    expect([...paused]).toEqual([["run_1", 7]])
  })

  it("[CONSOLE-104] a run that is at work keeps its status", () => {
    const paused = new Map([["run_1", 7]])
    const statusOf = (status: Parameters<typeof shownStatus>[0]["status"], id = "run_1") =>
      shownStatus({ id, status }, paused)
    expect(statusOf("completed")).toBe("waiting")
    expect(statusOf("running")).toBe("running")
    expect(statusOf("completed", "run_2")).toBe("completed")
  })
})
