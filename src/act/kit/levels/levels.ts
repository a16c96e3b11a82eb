import { RULES } from "#choose/guard"
import { invariant } from "#ground/base"
import { HOOK_NAMES, type HookName } from "#ground/contract"

/** The lowest level that has a hook; hooks look at the level once more when they run. */
export const HOOK_LEVELS: Readonly<Record<HookName, number>> = {
  boot: levelOf("boot"),
  track: levelOf("track"),
  drift: levelOf("drift"),
  loaded: levelOf("loaded"),
  concurrency: levelOf("concurrency"),
  package: levelOf("package"),
  risk: levelOf("risk"),
  pitfall: levelOf("pitfall"),
}

function levelOf(name: HookName): number {
  const rule = RULES.find((it) => it.name === name)
  invariant(rule !== undefined, `the hook ${name} has a rule that judges`)
  return rule.level
}

/** From here on the tools that bring text into a window are looked at, too: they are metered. */
export const METERED_FROM_LEVEL = 4

/** From here on git's own hooks are ours as well. */
export const GIT_HOOKS_FROM_LEVEL = 3

export const LEVELS = [1, 2, 3, 4, 5, 6, 7] as const

/** What each level adds to the one below, in the words of the specification. */
export const LEVEL_ADDS: Readonly<Record<(typeof LEVELS)[number], string>> = {
  1: "session log, decisions, glossary",
  2: "ledger, boot digest, drift nudge",
  3: "claims, concurrency guard, git hooks",
  4: "packs, sub-agent packages, metering",
  5: "risk gate, archive of old sessions, lessons proposed, pitfalls before an edit",
  6: "autonomy dial, token report, forge (none of them is built yet)",
  7: "fleet, swarm, sources (none of them is built yet)",
}

export function hooksOfLevel(level: number): readonly HookName[] {
  return HOOK_NAMES.filter((it) => HOOK_LEVELS[it] <= level)
}
