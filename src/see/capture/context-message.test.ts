import { expect, test } from "vitest"
import type { Capture } from "#ground/contract"
import { contextMessage } from "./context-message.ts"
import { anItem } from "./items.fixture.ts"

const capture = (items: Capture["manifest"]["items"], texts: Capture["texts"]): Capture => ({
  manifest: {
    id: "cap_1",
    kind: "estimated",
    host: "claude-code",
    workingDirectory: "/x",
    capturedAt: 0,
    estimator: "claude",
    disclaimer: "An estimation.",
    items,
    searched: [{ path: "/x/none", source: "project-root", outcome: "missing" }],
    notes: [],
    totals: { files: 1, bytes: 4, tokensInWindow: 1, tokensOnDemand: 0 },
  },
  headline: { tokens: 1, window: 1_000, share: 0, by: "estimate", kinds: [], at: 0, estimate: 1 },
  advice: [],
  budget: {
    window: 1_000,
    tokens: 1,
    share: 0,
    startBudget: 100,
    kinds: [],
    biggest: [],
    duplicates: [],
  },
  observation: null,
  observationProblem: null,
  historyProblem: null,
  isNew: true,
  previous: null,
  texts,
  diff: null,
})

test("[CAPTURE-20] the context message contains every file found, and its raw form is JSON", () => {
  const text = { path: "/x/CLAUDE.md", text: "Be brief.", later: "", isCut: false }
  const linked = { ...text, path: "/x/link.md", text: "", withheld: "by a link" }
  const message = contextMessage(capture([anItem("/x/CLAUDE.md")], [text, linked]))
  expect(message).toMatchObject({
    type: "context",
    role: "system",
    content: "# /x/CLAUDE.md\n\nBe brief.\n---\n# /x/link.md\n\nby a link\n---",
    metadata: { contextFileCount: 1, workingDirectory: "/x", capture: "cap_1", startBudget: 100 },
  })
  expect(JSON.parse(message.raw ?? "")).toEqual({
    type: "context_estimation",
    workingDirectory: "/x",
    capturedAt: "1970-01-01T00:00:00.000Z",
    disclaimer: "An estimation.",
    files: [
      {
        path: "/x/CLAUDE.md",
        source: "project-root",
        modifiedAt: "1970-01-01T00:00:01.000Z",
        sizeBytes: 4,
        sha256Hash: "0".repeat(64),
      },
    ],
    totalFiles: 1,
    totalSizeBytes: 4,
    searched: [{ path: "/x/none", source: "project-root", outcome: "missing" }],
  })
  expect(contextMessage(capture([], [])).content).toBe("(No context files found)")
})

test("[CAPTURE-20] the metadata lists only items in the window, and names no capture that was not stored", () => {
  const settings = anItem("/x/.claude/settings.local.json", { tokens: 0, load: "config-only" })
  const taken = capture([anItem("/x/CLAUDE.md", { tokens: 7 }), settings], [])
  const { metadata } = contextMessage({ ...taken, historyProblem: "disk full" })
  expect(metadata["inWindow"]).toMatchObject([{ path: "/x/CLAUDE.md", tokens: 7 }])
  expect(metadata).toMatchObject({ contextFileCount: 2, disclaimer: "An estimation." })
  expect(metadata).not.toHaveProperty("capture")
})
