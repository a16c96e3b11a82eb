import { GatewayRequest, ProxiedSession } from "#ground/contract"

export const proxiedSession = ProxiedSession.parse({
  id: "gw_1",
  run: "r-1",
  title: "claude",
  host: "claude-code",
  wire: "anthropic",
  mode: "fold",
  hasContent: false,
  workingDirectory: "/work",
  upstream: "https://provider.example",
  startedAt: 0,
  endedAt: null,
  requests: 2,
  folds: 1,
  latchedOff: null,
  isAlive: true,
})

export const item = (kind: string, name: string, more = {}) => ({
  kind,
  name,
  context: "tools",
  sha256: "0".repeat(64),
  tokens: 1_234,
  bytes: 5_000,
  ...more,
})

export const request = (seq: number, more: Record<string, unknown> = {}) =>
  GatewayRequest.parse({
    proxiedSession: "gw_1",
    seq,
    run: "r-1",
    at: seq * 1_000,
    route: "messages",
    session: "s1",
    agent: null,
    model: "model-1",
    status: 200,
    outcome: "answered",
    firstByteMs: 12.4,
    durationMs: 1_500,
    sentBytes: 9_000,
    forwardedBytes: 9_000,
    tokens: 1_000,
    kinds: [
      { kind: "tools", tokens: 250 },
      { kind: "history", tokens: 750 },
    ],
    usage: { input: 12, output: 345, cacheRead: 11_804, cacheWrite: 180 },
    costUsd: 0.5,
    added: [],
    gone: 0,
    folded: [],
    fallback: null,
    problem: null,
    ...more,
  })

export const totals = {
  requests: 2,
  usage: { input: 24, output: 690, cacheRead: 23_608, cacheWrite: 360 },
  unknownUsage: 0,
  unknownCosts: 0,
  costUsd: 0.25,
  savedTokens: 403_339,
  savedBytes: 1_113_364,
  cacheShare: 0.984,
}
