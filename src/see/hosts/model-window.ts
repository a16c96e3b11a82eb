import { CLAUDE_CODE_BASELINES } from "./claude-code/start.generated.ts"
import { CODEX_BASELINES } from "./codex/start.generated.ts"

const BASELINES = { "claude-code": CLAUDE_CODE_BASELINES, codex: CODEX_BASELINES } as const

/** The window that the host uses for a model, as measured; undefined for other models. */
export function modelWindow(
  host: keyof typeof BASELINES,
  model: string | undefined,
): number | undefined {
  if (model === undefined) return undefined
  // A dated name, such as claude-haiku-4-5-20251001, is the same model.
  const measured = BASELINES[host].models.find(
    (it) => model === it.model || model.startsWith(`${it.model}-`),
  )
  return measured?.window
}
