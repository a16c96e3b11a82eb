import type { Claim, HookState, LiveSession, LoggedSession, SessionShow } from "../src/contract.ts"
import { WORLD_NOW } from "./fake-world.ts"

const MINUTE = 60_000
const ago = (minutes: number) => WORLD_NOW - minutes * MINUTE

/** As long as real ids, so that no column is made for shorter ones. */
export const CLAUDE = "5f0c2d1e-7a44-4c1b-9a0e-3f1b7c2d9e10"
export const CODEX = "019a8c11-52aa-7c30-8d5e-6b7a1f0e2c44"
const HOSTILE = "a/../\u202Eb<img src=x onerror=alert(1)> and a very long name that no column holds"

export const LIVE: readonly LiveSession[] = [
  {
    session: CLAUDE,
    host: "claude-code",
    startedAt: ago(64),
    lastAt: ago(1),
    edits: 14,
    files: 5,
    drifted: 3,
    claims: 2,
    isRegistered: false,
  },
  {
    session: CODEX,
    host: "codex",
    startedAt: ago(31),
    lastAt: ago(4),
    edits: 3,
    files: 1,
    drifted: 0,
    claims: 1,
    isRegistered: false,
  },
  {
    session: HOSTILE,
    host: null,
    startedAt: null,
    lastAt: ago(300),
    edits: 0,
    files: 0,
    drifted: 0,
    claims: 0,
    isRegistered: false,
  },
  {
    session: "c2b10f7e-1111-4c1b-9a0e-000000000001",
    host: "claude-code",
    startedAt: ago(1_500),
    lastAt: ago(1_440),
    edits: 1_204,
    files: 214,
    drifted: 0,
    claims: 0,
    isRegistered: true,
  },
]

const FIRST = ".qm/sessions/2026-11-14-02-quotes-and-invoices-agree.md"
export const LOGGED: readonly LoggedSession[] = [
  {
    file: FIRST,
    date: "2026-11-14",
    title: "quotes and invoices agree",
    request: "Make quotes and invoices agree to the cent, also for split stays.",
  },
  {
    file: ".qm/sessions/2026-11-14-01-tide-feed.md",
    date: "2026-11-14",
    title: "tide feed",
    request: "Add a retry with jitter to the tide feed.",
  },
  ...Array.from({ length: 22 }, (_, i) => ({
    file: `.qm/sessions/2026-10-${String(28 - i).padStart(2, "0")}-01-berths.md`,
    date: `2026-10-${String(28 - i).padStart(2, "0")}`,
    title: `berths, part ${22 - i}`,
    request: "Move the berths to the new grid.",
  })),
]

export const TEXT = `# 2026-11-14-02 quotes and invoices agree

## Request

Make quotes and invoices agree to the cent, also for split stays.

## Done

- Rounded on the line, half to even: \`roundLine\`
- Took the second rounding out of \`invoiceTotal\`

## Decisions

- Round on the line, never on the total

## Final state

214 tests pass; three invoices of October are **re-sent** by hand.
<img src=x onerror=alert(1)>
`

export const CLAIMS: readonly Claim[] = [
  claim("src/pilotage/calendar.ts", CODEX, { takenAt: ago(12) }),
  claim("src/tariff/", CLAUDE, { takenAt: ago(40), fence: 4 }),
  claim("src/tariff/rounding.ts", CLAUDE, { takenAt: ago(38) }),
  claim("docs/handbook.md", "terminal", { takenAt: ago(55), isHolderAlive: true }),
  claim("src/feed/tide-client.ts", "gone-7", { isHolderAlive: false, takenAt: ago(58) }),
  claim("migrations/0042_berths.sql", "ci/nightly", {
    isHolderAlive: null,
    machine: "quay-3",
    takenAt: ago(170),
    expiresAt: ago(2),
  }),
]

function claim(path: string, session: string, given: Partial<Claim>): Claim {
  return {
    path,
    session,
    fence: 1,
    machine: "ada-desk",
    isHolderAlive: true,
    takenAt: ago(10),
    heartbeatAt: ago(1),
    expiresAt: WORLD_NOW + 50 * MINUTE,
    ...given,
  }
}

const NOTHING = {
  files: [],
  outside: [],
  registered: [],
  nudges: [],
  simulations: [],
  loaded: [],
  claims: [],
  text: null,
}

/** What is known of one session, or of one that was written down. */
export function shownSession(id: string, claims: readonly Claim[]): SessionShow | undefined {
  const live = LIVE.find((it) => it.session === id)
  if (live !== undefined) {
    const held = claims.filter((it) => it.session === id)
    return live.session === CLAUDE
      ? { ...OF_CLAUDE, live, claims: held }
      : { ...NOTHING, live, claims: held }
  }
  const logged = LOGGED.find((it) => it.file === id)
  return logged === undefined ? undefined : { ...NOTHING, live: null, text: TEXT }
}

const OF_CLAUDE: Omit<SessionShow, "live" | "claims"> = {
  ...NOTHING,
  files: [
    file("src/tariff/rounding.ts", 6, true),
    file("src/invoice/invoice.ts", 4, true),
    file("src/quote/quote.ts", 2, true),
    file("src/tariff/surcharges/night-pilotage-and-weekend-rules.ts", 1, false),
    file("docs/tariffs.md", 1, false),
  ],
  outside: [{ path: "src/tariff/rounding.ts", at: ago(22) }],
  registered: [{ file: FIRST, at: ago(50) }],
  nudges: [{ at: ago(18) }],
  simulations: [{ id: "sim_1", risk: 0.62, at: ago(26), paths: ["src/tariff/rounding.ts"] }],
  loaded: [
    {
      path: "/home/ada/code/tideline/CLAUDE.md",
      kind: "Project",
      reason: "session_start",
      parent: null,
      at: ago(64),
    },
    {
      path: "/home/ada/code/tideline/docs/conventions.md",
      kind: "Project",
      reason: "include",
      parent: "/home/ada/code/tideline/CLAUDE.md",
      at: ago(64),
    },
  ],
}

function file(path: string, edits: number, isImportant: boolean) {
  return { path, edits, firstAt: ago(60), lastAt: ago(edits), isImportant }
}

export const HOOKS: readonly HookState[] = [
  hook("boot", "SessionStart", "fired"),
  hook("track", "PostToolUse", "fired"),
  hook("drift", "Stop", "fired"),
  hook("concurrency", "PreToolUse", "fired"),
  hook("risk", "PreToolUse", "installed"),
  hook("package", "SubagentStart", "fired"),
  hook("loaded", "InstructionsLoaded", "fired"),
  { ...hook("boot", "SessionStart", "installed"), host: "codex", why: "Not trusted yet" },
  { ...hook("track", "PostToolUse", "installed"), host: "codex", why: "Not trusted yet" },
  { ...hook("loaded", null, "not offered"), host: "codex" },
]

function hook(name: HookState["hook"], event: string | null, state: HookState["state"]): HookState {
  const at = state === "fired" ? ago(3) : null
  return { host: "claude-code", hook: name, event, state, at, why: null }
}
