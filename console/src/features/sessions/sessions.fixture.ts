import type {
  Claim,
  IndexedSession,
  LiveSession,
  SessionHit,
  SessionList,
  SessionShow,
  SessionsList,
} from "../../contract.ts"

export const NOW = Date.UTC(2026, 10, 15, 8, 16)
const MINUTE = 60_000

export function aSession(session: string, overrides: Partial<LiveSession> = {}): LiveSession {
  return {
    session,
    host: "claude-code",
    startedAt: NOW - 64 * MINUTE,
    lastAt: NOW - MINUTE,
    edits: 14,
    files: 5,
    drifted: 0,
    claims: 0,
    isRegistered: false,
    ...overrides,
  }
}

export function aClaim(path: string, overrides: Partial<Claim> = {}): Claim {
  return {
    path,
    session: "s-1",
    fence: 1,
    machine: "desk",
    isHolderAlive: true,
    takenAt: NOW - 10 * MINUTE,
    heartbeatAt: NOW - MINUTE,
    expiresAt: NOW + 50 * MINUTE,
    ...overrides,
  }
}

export function aList(overrides: Partial<SessionList> = {}): SessionList {
  return { live: [], logged: [], loggedCount: 0, ...overrides }
}

export function aShow(overrides: Partial<SessionShow> = {}): SessionShow {
  return {
    live: null,
    files: [],
    outside: [],
    registered: [],
    nudges: [],
    simulations: [],
    loaded: [],
    claims: [],
    text: null,
    ...overrides,
  }
}

const SPEND = {
  usd: 1.25,
  price: "known",
  unpricedTokens: 0,
  calls: 12,
  tokens: { input: 10, cacheRead: 900, cacheWrite: 80, cacheWriteHour: 0, output: 40 },
} as const

export function aTranscript(id: string, overrides: Partial<IndexedSession> = {}): IndexedSession {
  return {
    id,
    host: "claude-code",
    title: "Round quotes half to even",
    cwd: "/r",
    repository: "/r",
    branch: "fix/rounding",
    version: "2.1.325",
    models: ["claude-sonnet-4-5"],
    turns: 7,
    peakTokens: 152_000,
    windowTokens: 200_000,
    context: [17_000, 90_000, 152_000],
    compactions: 0,
    subAgents: 0,
    files: 5,
    spend: SPEND,
    startedAt: NOW - 90 * MINUTE,
    endedAt: NOW - 30 * MINUTE,
    ...overrides,
  }
}

export function transcripts(
  sessions: readonly IndexedSession[],
  overrides: Partial<SessionsList["import"]> = {},
): SessionsList {
  const state = { setting: "ask", isRunning: false, waitingFiles: 0, waitingBytes: 0 } as const
  return { sessions: [...sessions], total: sessions.length, import: { ...state, ...overrides } }
}

export function aHit(session: string, overrides: Partial<SessionHit> = {}): SessionHit {
  return {
    session,
    title: "Round quotes half to even",
    host: "claude-code",
    repository: "/r",
    branch: "main",
    matches: 3,
    line: {
      id: 9,
      turn: 2,
      at: NOW - 40 * MINUTE,
      role: "assistant",
      agent: "main",
      tool: null,
      sizeBytes: 80,
      tokens: 20,
    },
    excerpt: "quotes are rounded half to even",
    ...overrides,
  }
}
