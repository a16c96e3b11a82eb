import type { Memory, MemoryList } from "../../contract.ts"

export const NOW = Date.UTC(2026, 10, 15, 8, 16)

export function aMemory(id: string, overrides: Partial<Memory> = {}): Memory {
  return {
    id,
    kind: "pitfall",
    title: "Half cents in split stays",
    description: "Round on the line first",
    body: "Rounding **after** moves half a cent.",
    cites: [],
    source: {
      session: "s-1",
      actor: "agent",
      commit: "4e2a19c07b5d",
      isUntrusted: false,
      isDistilled: true,
    },
    state: "proposed",
    supersededBy: null,
    signals: { helpful: 0, unhelpful: 0, succeeded: 0, failed: 0 },
    uses: 0,
    confidence: 0.7,
    file: ".qm/memory/lessons/half-cents.md",
    createdAt: NOW - 4 * 86_400_000,
    ...overrides,
  }
}

export const OUTSIDE = {
  session: null,
  actor: "agent",
  commit: null,
  isUntrusted: true,
  isDistilled: false,
} as const

export function aList(
  memories: readonly Memory[],
  overrides: Partial<MemoryList> = {},
): MemoryList {
  return { memories: [...memories], total: memories.length, problems: [], ...overrides }
}
