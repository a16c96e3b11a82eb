import type { AgentMode } from "#ground/contract"

type Policy = {
  readonly approvalPolicy: "untrusted" | "on-request"
  readonly sandbox: "read-only" | "workspace-write"
  readonly sandboxPolicy: object
}

/**
 * Writes below the working directory and in TMPDIR; no network unless asked for. Not in /tmp: the
 * host would leave empty `.git` and `.codex` folders there, and other hosts, Claude Code among
 * them, take an empty `.git` for the top of a repository (seen on 0.166.0).
 */
const WORKSPACE = {
  type: "workspaceWrite",
  writableRoots: [],
  networkAccess: false,
  excludeTmpdirEnvVar: false,
  excludeSlashTmp: true,
}

/**
 * The host's switches. `plan` works in a sandbox that cannot write, and to leave it is denied; with
 * `untrusted` it could not even list a folder (seen on 0.166.0). `untrusted` asks for every command
 * that is not known to only read, and for every patch; `edits` answers ordinary patches itself.
 * `auto` stays in its sandbox until the model asks to leave it, and then our own answer is yes; where
 * there are rules it asks as the others do, so that they are heard, and our answer is yes to the rest.
 */
export function policyOf(mode: AgentMode, { hasRules }: { readonly hasRules: boolean }): Policy {
  switch (mode) {
    case "plan":
      return {
        approvalPolicy: "on-request",
        sandbox: "read-only",
        sandboxPolicy: { type: "readOnly", networkAccess: false },
      }
    case "ask":
    case "edits":
      return {
        approvalPolicy: "untrusted",
        sandbox: "workspace-write",
        sandboxPolicy: WORKSPACE,
      }
    case "auto":
      return {
        approvalPolicy: hasRules ? "untrusted" : "on-request",
        sandbox: "workspace-write",
        sandboxPolicy: WORKSPACE,
      }
    default:
      return mode satisfies never
  }
}
