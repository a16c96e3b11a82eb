import type { Memory } from "../../contract.ts"

/** Made decisions for the tests of this page. */
export const NOW = Date.UTC(2026, 10, 15, 8, 16)

export function aDecision(id: string, given: Partial<Memory> = {}): Memory {
  return {
    id,
    kind: "decision",
    title: "Round on the line",
    description: "Round on the line",
    body: "## Context\n\nTotals differed.\n\n## Decision\n\nHalf to even.",
    cites: [],
    source: {
      session: null,
      actor: "human",
      commit: null,
      isUntrusted: false,
      isDistilled: false,
    },
    state: "confirmed",
    supersededBy: null,
    signals: { helpful: 0, unhelpful: 0, succeeded: 0, failed: 0 },
    uses: 0,
    confidence: 0.7,
    file: ".qm/memory/decisions/round.md",
    createdAt: NOW - 4 * 86_400_000,
    ...given,
  }
}
