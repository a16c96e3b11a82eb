import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import type { NowRow } from "../../contract.ts"
import { textOf } from "../../test-page.tsx"
import { RunLists } from "./lists.tsx"

const NOW = 1_000_000_000

function render(overrides: Partial<NowRow>): string {
  const row: NowRow = {
    id: "rn_1",
    kind: "run",
    state: "done",
    title: "Port it",
    at: NOW,
    ...overrides,
  }
  const html = renderToStaticMarkup(<RunLists running={[]} ended={[row]} now={NOW} at={null} />)
  return textOf(html)
}

describe("finished runs on the page Now", () => {
  it("[CONSOLE-15] a column without any known value is left out", () => {
    const text = render({ agent: "codex", costUsd: 0.42 })
    expect(text).toMatch(/Agent Cost Ended Port it codex, \$0\.42 codex \$0\.42/)
    expect(text).not.toMatch(/Context|Tokens/)
    expect(render({ tokens: { files: 1_200 } })).toMatch(/Context Tokens.*1\.2k/)
  })
})
