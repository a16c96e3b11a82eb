import type { Claim, LiveSession, SessionList, SessionShow } from "../../contract.ts"

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
