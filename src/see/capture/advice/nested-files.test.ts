import { expect, test } from "vitest"
import { loadHost } from "#see/hosts"
import { memoryDisk } from "#test/memory-disk"
import { findNested } from "./nested-files.ts"

const PLACE = { workingDirectory: "/w", home: "/home", environment: {}, platform: "linux" } as const

test("[T4][CAPTURE-26] instruction files below the directory are on demand, those at the start are not repeated", async () => {
  const files = {
    "/w/CLAUDE.md": "Root.",
    "/w/sub/CLAUDE.md": "---\nx: 1\n---\nSub rules.",
    "/w/sub/.claude/CLAUDE.md": "Dot.",
    "/w/sub/notes.md": "No.",
  }
  const disk = memoryDisk(files)
  const host = await loadHost("claude-code")
  const survey = await host.survey(PLACE, disk)
  const listFiles = async () => Object.keys(files).map((it) => it.slice("/w/".length))
  const nested = await findNested(host, survey, { workingDirectory: "/w", disk, listFiles })
  expect(nested.map((it) => [it.path, it.load, it.sent, it.later])).toEqual([
    ["/w/sub/CLAUDE.md", "on-demand", "", "Sub rules."],
    ["/w/sub/.claude/CLAUDE.md", "on-demand", "", "Dot."],
  ])
  expect(nested[0]?.reason).toBe("When the agent works in sub")
})
