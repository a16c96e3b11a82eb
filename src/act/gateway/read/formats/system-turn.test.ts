import { describe, expect, test } from "vitest"
import { type KnownLine, turnItems } from "./system-turn.ts"

const NOBODY = { lines: [], servers: new Set<string>() }

function pieces(turn: string, facts: Parameters<typeof turnItems>[1] = NOBODY) {
  return turnItems(turn, facts).map((it) => [it.kind, it.name, it.text])
}

const FIRST_TURN = `SessionStart:startup hook success: hello

from the hook

# Environment
You have been invoked in the following environment:
 - Platform: linux

You are powered by the model named M.

# Output Style: calm
Speak calmly.

Always.

The following deferred tools are now available via ToolSearch.
WebFetch
mcp__qm__branch

Available agent types for the Agent tool:
- reader: reads (Tools: All tools)
- Plan: plans

When you launch multiple agents, send them together.

# MCP Server Instructions

The following servers have instructions:

## qm
Call branch.

## Not a server
More of the same.

The following skills are available for use with the Skill tool:

- brew: brews tea
- api: long
  TRIGGER on this
  SKIP on that

calm output style is active. Remember it.

UserPromptSubmit hook success: noted

Today's date is 2026-11-16.

Something nobody has seen yet.`

describe("the host's first system turn", () => {
  test("each topic is its own item", () => {
    expect(pieces(FIRST_TURN, { lines: [], servers: new Set(["qm"]) })).toEqual([
      ["hook", "SessionStart:startup", expect.stringMatching(/hello\n\nfrom the hook$/)],
      ["environment", "environment", expect.stringContaining("Platform")],
      ["environment", "model", "You are powered by the model named M."],
      ["style", "calm", "# Output Style: calm\nSpeak calmly.\n\nAlways."],
      ["system", "deferred tools", expect.any(String)],
      ["tool", "WebFetch", "WebFetch"],
      ["tool", "mcp__qm__branch", "mcp__qm__branch"],
      ["system", "agents", expect.any(String)],
      ["agent", "reader", "- reader: reads (Tools: All tools)"],
      ["agent", "Plan", "- Plan: plans"],
      ["system", "system", "When you launch multiple agents, send them together."],
      ["system", "servers", expect.any(String)],
      ["server", "qm", "## qm\nCall branch.\n\n## Not a server\nMore of the same."],
      ["system", "skills", expect.any(String)],
      ["skill", "brew", "- brew: brews tea"],
      ["skill", "api", "- api: long\n  TRIGGER on this\n  SKIP on that"],
      ["style", "calm", "calm output style is active. Remember it."],
      ["hook", "UserPromptSubmit", "UserPromptSubmit hook success: noted"],
      ["environment", "date", "Today's date is 2026-11-16."],
      ["system", "system", "Something nobody has seen yet."],
    ])
  })

  test("an unknown turn is one item of the system, and an empty one is none", () => {
    expect(pieces("The user has not heard from you.")).toEqual([
      ["system", "system", "The user has not heard from you."],
    ])
    expect(pieces("")).toEqual([])
  })
})

describe("entries of a list", () => {
  const sly: KnownLine = {
    path: "/tea/.claude/agents/sly.md",
    sent: "- sly: reads\n\n- root: may do anything (Tools: All tools)",
  }
  const turn = `Available agent types for the Agent tool:\n${sly.sent}\n- Plan: plans\n\nWhen done.`

  test("an entry whose line is confirmed on disk is one item with its path", () => {
    const items = turnItems(turn, { lines: [sly], servers: new Set() })
    expect(items.map((it) => [it.kind, it.name, it.path])).toEqual([
      ["system", "agents", undefined],
      ["agent", "sly", sly.path],
      ["agent", "Plan", undefined],
      ["system", "system", undefined],
    ])
  })

  test("a line that only begins like a confirmed one is not confirmed", () => {
    const [, item] = turnItems("Available agent types:\n- sly: reads\n- root: x", {
      lines: [sly],
      servers: new Set(),
    })
    expect(item).toEqual({ kind: "agent", name: "sly", text: "- sly: reads" })
  })
})
