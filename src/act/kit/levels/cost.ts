import type { KitLevelCost } from "#ground/contract"
import type { Template } from "../hosts/host.ts"
import type { KitDeps } from "../plan.ts"
import { readTemplates } from "../templates.ts"
import { bootLines } from "../texts/boot.ts"
import { hooksOfLevel, LEVEL_ADDS, LEVELS } from "./levels.ts"
import { measureEdits } from "./measure.ts"

type Asked = { readonly measure: boolean; readonly signal: AbortSignal }

/** What each level costs here: tokens are counted, milliseconds only when asked for. */
export async function costOfLevels(
  deps: KitDeps,
  { measure, signal }: Asked,
): Promise<readonly KitLevelCost[]> {
  const templates = await readTemplates(deps.templates)
  const measured = measure ? await measureEdits(deps, signal) : undefined
  const costs: KitLevelCost[] = []
  for (const level of LEVELS) {
    costs.push({
      level,
      adds: LEVEL_ADDS[level],
      hooks: [...hooksOfLevel(level)],
      startTokens: await deps.countTokens(await startText(templates, level, deps)),
      toolCallMs: measured?.(level) ?? null,
    })
  }
  return costs
}

/** What stands in a window before the first word: our names, the boot file, and what boot says. */
async function startText(
  templates: readonly Template[],
  level: number,
  { bootText }: KitDeps,
): Promise<string> {
  const listed = templates
    .filter((it) => it.level <= level)
    .map((it) => `- qm-${it.name}: ${it.description}`)
  return [...listed, ...bootLines(level), await bootText(level)].join("\n")
}
