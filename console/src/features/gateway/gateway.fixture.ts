import type {
  GatewayManifest,
  GatewayRequest,
  GatewayShow,
  ProxiedSession,
  WireItem,
} from "../../contract.ts"

export const NOW = Date.UTC(2026, 10, 15, 8, 16)

export function anItem(
  kind: WireItem["kind"],
  name: string,
  overrides: Partial<WireItem> = {},
): WireItem {
  return {
    kind,
    context: "history",
    name,
    sha256: "a".repeat(64),
    tokens: 10,
    bytes: 40,
    ...overrides,
  }
}

export function aRequest(seq: number, overrides: Partial<GatewayRequest> = {}): GatewayRequest {
  return {
    proxiedSession: "gw_1",
    seq,
    run: "rn_1",
    at: NOW + seq * 1_000,
    route: "messages",
    session: "ses-1",
    agent: null,
    model: "sonnet",
    status: 200,
    outcome: "answered",
    firstByteMs: 800,
    durationMs: 2_400,
    sentBytes: 40_000,
    forwardedBytes: 40_000,
    tokens: 9_000,
    kinds: [
      { kind: "instructions", tokens: 3_000 },
      { kind: "history", tokens: 6_000 },
    ],
    usage: { input: 12, output: 140, cacheRead: 9_588, cacheWrite: 400 },
    costUsd: 0.02,
    added: [],
    gone: 0,
    folded: [],
    fallback: null,
    problem: null,
    ...overrides,
  }
}

export function aProxiedSession(
  id: string,
  overrides: Partial<ProxiedSession> = {},
): ProxiedSession {
  return {
    id,
    run: "rn_1",
    title: "claude-code",
    host: "claude-code",
    wire: "anthropic",
    mode: "fold",
    hasContent: true,
    workingDirectory: "/r",
    upstream: "https://api.example.test",
    startedAt: NOW,
    endedAt: null,
    requests: 2,
    folds: 1,
    latchedOff: null,
    isAlive: true,
    ...overrides,
  }
}

export function aShow(overrides: Partial<GatewayShow> = {}): GatewayShow {
  return {
    sessions: [aProxiedSession("gw_1")],
    requests: [aRequest(1), aRequest(2)],
    earlier: 0,
    totals: {
      requests: 2,
      usage: { input: 24, output: 280, cacheRead: 19_176, cacheWrite: 800 },
      unknownUsage: 0,
      unknownCosts: 0,
      costUsd: 0.04,
      savedTokens: 0,
      savedBytes: 0,
      cacheShare: 0.96,
    },
    ...overrides,
  }
}

export function aManifest(overrides: Partial<GatewayManifest> = {}): GatewayManifest {
  return { request: aRequest(2), items: [anItem("user", "")], headers: [], ...overrides }
}
