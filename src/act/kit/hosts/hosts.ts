import type { KitHost } from "#ground/contract"
import { antigravity } from "./antigravity.ts"
import { claudeCode } from "./claude-code.ts"
import { codex } from "./codex.ts"
import { copilot } from "./copilot.ts"
import type { KitHostForm } from "./host.ts"
import { opencode } from "./opencode.ts"

export const HOST_FORMS: Readonly<Record<KitHost, KitHostForm>> = {
  "claude-code": claudeCode,
  codex,
  antigravity,
  copilot,
  opencode,
}
