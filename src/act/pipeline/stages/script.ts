const BLOCK = /^```script\n([\s\S]*?)^```\n?/gm

/**
 * What the synthetic agent plays instead of working, so that a shipped agent runs offline: blocks
 * in its prompt, one for each round of a repair, the last for all that follow.
 */
export function readScripts(template: string): readonly string[] {
  return Array.from(template.matchAll(BLOCK), (it) => it[1] ?? "")
}

/** The prompt as an agent that can work gets it. */
export function withoutScripts(template: string): string {
  return template.replaceAll(BLOCK, "").trimEnd()
}
