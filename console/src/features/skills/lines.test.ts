import { describe, expect, it } from "vitest"
import { skillLines } from "./lines.ts"

describe("skills", () => {
  it("[CONSOLE-102] those of the repository come first; a problem and a missing pack are marked", () => {
    const files = [
      { path: ".claude/skills/a/SKILL.md", kind: "skill", name: "a", tokens: 9, problems: ["no"] },
    ] as const
    const item = { name: "pack", kind: "skill", description: "Use first" } as const
    const packs = [
      {
        name: "daily",
        state: "partly installed",
        level: 1,
        tokens: 10,
        allTokens: 20,
        items: [
          { ...item, isInstalled: true },
          { ...item, name: "other", isInstalled: false },
        ],
      },
    ] as const
    const lines = skillLines(
      files.map((it) => ({ ...it, problems: [...it.problems] })),
      { packs: packs.map((it) => ({ ...it, items: it.items.map((one) => ({ ...one })) })) },
    )
    expect(lines.map((it) => [it.name, it.origin, it.mark])).toEqual([
      ["a", ".claude/skills/a/SKILL.md", "failed"],
      ["pack", "daily", "done"],
      ["other", "daily", "queued"],
    ])
  })
})
