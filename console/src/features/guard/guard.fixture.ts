import type { ConfigSetting, GuardVerdicts, VerdictLine } from "../../contract.ts"

export const NOW = Date.UTC(2026, 10, 15, 8, 16)

export function aLine(overrides: Partial<VerdictLine> = {}): VerdictLine {
  return {
    at: NOW - 60_000,
    host: "claude-code",
    event: "before-edit",
    session: "5f0c2d1e-7a44-4c1b-9a0e-3f1b7c2d9e10",
    tool: "Edit",
    paths: ["src/tariff/rounding.ts"],
    rule: "risk",
    verdict: "deny",
    text: "No simulation covers this edit.",
    ms: 3,
    ...overrides,
  }
}

export function aLog(
  verdicts: readonly VerdictLine[],
  overrides: Partial<GuardVerdicts> = {},
): GuardVerdicts {
  const counts = { silent: 0, context: 0, warn: 0, ask: 0, deny: 0, block: 0, override: 0 }
  for (const { verdict } of verdicts) counts[verdict] += 1
  return { verdicts: [...verdicts], counts, isCut: false, ...overrides }
}

export function aSetting(key: string, overrides: Partial<ConfigSetting> = {}): ConfigSetting {
  return {
    key,
    value: "",
    origin: "default",
    hides: [],
    description: "x",
    env: "X",
    isSecret: false,
    schema: { type: "string" },
    ...overrides,
  }
}
