const PLACEHOLDER = /\{\{\s*([a-z][a-z0-9_.]*)\s*\}\}/g

const OUTPUTS = "outputs."

/** What any prompt may ask for, beside `outputs.<stage>` of a stage before it. */
export const PLACEHOLDERS = [
  "query",
  "amendments",
  "feedback",
  "context",
  "plan",
  "prior",
  "web",
  "documents",
  "pairs",
  "depth.subqueries",
  "depth.paragraphs",
] as const
export type Placeholder = (typeof PLACEHOLDERS)[number]

/** The names between double braces, each once, in order. */
export function placeholdersOf(template: string): readonly string[] {
  return [...new Set(Array.from(template.matchAll(PLACEHOLDER), (it) => it[1] ?? ""))]
}

/** Those that nothing will be put in for, given the names of the stages before. */
export function unknownPlaceholders(
  template: string,
  stages: readonly string[],
): readonly string[] {
  return placeholdersOf(template).filter((it) => !isKnown(it, stages))
}

function isKnown(name: string, stages: readonly string[]): boolean {
  if (isPlaceholder(name)) return true
  return name.startsWith(OUTPUTS) && stages.includes(name.slice(OUTPUTS.length))
}

export function isPlaceholder(name: string): name is Placeholder {
  return PLACEHOLDERS.some((it) => it === name)
}

/** The stage whose output a placeholder names. */
export function outputStage(name: string): string | undefined {
  return name.startsWith(OUTPUTS) ? name.slice(OUTPUTS.length) : undefined
}

/** In one pass: braces inside a text that was put in are that text's own. */
export function fillTemplate(template: string, valueOf: (name: string) => string): string {
  return template.replace(PLACEHOLDER, (_, name: string) => valueOf(name))
}
