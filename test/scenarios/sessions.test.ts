import { expect, test } from "vitest"
import { newUser } from "#test/qm"
import { claudeAnswer, claudeFile, claudePrompt, sessionIdOf, writeLines } from "#test/transcripts"

const ID = sessionIdOf("scenario")

test("[SESSIONS-2] a user lists, agrees, searches and reads the cost at the terminal", async () => {
  await using user = await newUser()
  const at = { cwd: user.project, sessionId: ID, at: Date.now() - 60_000 }
  const usage = { input: 1_000, output: 2_000, cacheRead: 100_000, cacheWrite: 20_000 }
  await writeLines(claudeFile(user.home, user.project, ID), [
    claudePrompt("Moor the ferry", at),
    ...claudeAnswer(
      {
        id: "s1",
        model: "claude-opus-4-5",
        usage,
        blocks: [{ type: "text", text: "Moored at pier nine" }],
      },
      at,
    ),
  ])
  const before = await user.qm(["sessions"])
  expect(before.stdout).toContain("1 transcript on this machine")
  expect(before.stdout).not.toContain("Moor the ferry")
  const imported = await user.qm(["sessions", "import", "--all"])
  expect(imported.stdout).toContain("Indexed 1 transcript of 1 session (2 lines")
  expect((await user.qm(["config", "show", "sessions.import"])).stdout).toContain("machine")
  expect((await user.qm(["sessions"])).stdout).toContain("Moor the ferry")
  expect((await user.qm(["sessions", "search", "pier nine"])).stdout).toContain(
    "Moored at pier nine",
  )
  expect((await user.qm(["sessions", "show", ID.slice(0, 8)])).stdout).toContain(
    "peak context 121.0k",
  )
  expect((await user.qm(["sessions", "lines", ID])).stdout).toContain("Moored at pier nine")
  expect((await user.qm(["sessions", "context", ID])).stdout).toContain("121.0k")
  // 1,000 × 5 + 2,000 × 25 + 100,000 × 0.50 + 20,000 × 6.25 = 230,000 per million.
  expect((await user.qm(["cost", "--since", "7d", "--by", "model"])).stdout).toContain("$0.23")
  const { total } = JSON.parse((await user.qm(["cost", "--json"])).stdout)
  expect(total).toMatchObject({ usd: 0.23, price: "known", calls: 1 })
})
