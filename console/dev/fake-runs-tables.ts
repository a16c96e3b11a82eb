import type { Approval, Permissions, Provider } from "../src/contract.ts"
import { WORLD_NOW } from "./fake-world.ts"

const MINUTE = 60_000
const ROOT = "/home/ada/code/tideline"

/** As long as a real id, so that no column is made for shorter ones. */
export const runId = (number: number): string => `rn_0mhz1k2c7${String(number).padStart(10, "0")}`

function anApproval(id: string, run: number, given: Partial<Approval>): Approval {
  return {
    id,
    runId: runId(run),
    tool: "Bash",
    title: "Run a command",
    input: "",
    digest: "7c1e",
    path: null,
    cwd: ROOT,
    status: "open",
    requestedAt: WORLD_NOW - 2 * MINUTE,
    expiresAt: WORLD_NOW + 9 * MINUTE + 41_000,
    answeredAt: null,
    answeredBy: null,
    note: null,
    ...given,
  }
}

const LONG =
  "find . -name '*.ts' -not -path './node_modules/*' -print0 | xargs -0 sed -i 's/harbour/port/g' && npm run build && npm test -- --reporter=dot && git push --force origin HEAD:main"

export const APPROVALS: readonly Approval[] = [
  anApproval("ap_5", 36, {
    tool: "mcp__tide__query",
    title: "Query the tide service",
    input: JSON.stringify({ station: "Dublin", days: 14, include: ["ice", "surge"] }),
    requestedAt: WORLD_NOW - 38 * MINUTE,
    expiresAt: WORLD_NOW + 22 * MINUTE,
  }),
  anApproval("ap_4", 36, {
    title: "Run a command",
    input: JSON.stringify({ command: "echo safe \u202E# mr- fr \u0007\nrm -rf ~" }),
    requestedAt: WORLD_NOW - 37 * MINUTE,
    expiresAt: WORLD_NOW + 23 * MINUTE,
  }),
  anApproval("ap_2", 35, {
    tool: "exec_command",
    title: LONG,
    input: LONG,
    requestedAt: WORLD_NOW - 17 * MINUTE,
    expiresAt: WORLD_NOW + 43 * MINUTE,
  }),
  anApproval("ap_3", 35, {
    tool: "apply_patch",
    title: "Change src/api/public.ts",
    input: JSON.stringify({ path: "src/api/public.ts", patch: "@@ -1 +1 @@\n-harbour\n+port" }),
    path: `${ROOT}/src/api/public.ts`,
    requestedAt: WORLD_NOW - 16 * MINUTE,
    expiresAt: WORLD_NOW + 44 * MINUTE,
  }),
  anApproval("ap_1", 31, {
    input: JSON.stringify({
      command: "npm run db:check -- --month 2026-10",
      description: "Compares the books of October",
    }),
  }),
]

export const RULES: Permissions["rules"] = [
  { id: "ru_1", decision: "deny", command: "git push *", origin: "config", isInForce: true },
  { id: "ru_2", decision: "deny", path: "secrets/**", origin: "project", isInForce: true },
  { id: "ru_3", decision: "ask", tool: "mcp__*", origin: "config", isInForce: true },
  {
    id: "ru_4",
    decision: "allow",
    tool: "Bash",
    command: "npm run db:check -- --month 2026-09",
    origin: "project",
    isInForce: false,
  },
  {
    id: "ru_5",
    decision: "allow",
    tool: "Edit",
    path: "src/tariff/**",
    origin: "project",
    isInForce: false,
  },
]

export function permissionsOf(all: Permissions["rules"]): Permissions {
  const file = `${ROOT}/.qm/permissions.json`
  return {
    file,
    digest: all.length === 0 ? null : "sha256:0a1b",
    isTrusted: all.length === 0,
    rules: [...all],
  }
}

export const PROVIDERS: readonly Provider[] = [
  {
    type: "claude-code",
    title: "Claude Code",
    isInstalled: true,
    program: "/usr/local/bin/claude",
    version: "2.1.214",
    hint: "npm install -g @anthropic-ai/claude-code",
    scripts: [],
  },
  {
    type: "codex",
    title: "Codex",
    isInstalled: true,
    program: "/usr/local/bin/codex",
    version: "0.144.5",
    hint: "npm install -g @openai/codex",
    scripts: [],
  },
  {
    type: "copilot",
    title: "Copilot",
    isInstalled: false,
    program: null,
    version: null,
    hint: "Install it with npm install -g @github/copilot, then start again.",
    scripts: [],
  },
  {
    type: "synthetic",
    title: "Synthetic",
    isInstalled: true,
    program: null,
    version: null,
    hint: "",
    scripts: ["happy", "approvals", "error", "compaction", "long"],
  },
]
