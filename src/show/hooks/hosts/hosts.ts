import { antigravity } from "./antigravity.ts"
import { claudeCode } from "./claude-code.ts"
import { codex } from "./codex.ts"
import type { Dialect } from "./dialect.ts"

const DIALECTS: readonly Dialect[] = [claudeCode, codex, antigravity]

export function dialectOf(host: string | undefined): Dialect | undefined {
  return DIALECTS.find((it) => it.host === host)
}
