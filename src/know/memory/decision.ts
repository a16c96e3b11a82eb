export type DecisionParts = {
  readonly context: string
  readonly decision: string
  readonly consequences: string
}

/** The text of a decision, with the headings that people look for in a record of one. */
export function decisionBody({ context, decision, consequences }: DecisionParts): string {
  const parts = [
    ["Context", context],
    ["Decision", decision],
    ["Consequences", consequences],
  ] as const
  return parts.map(([heading, text]) => `## ${heading}\n\n${plainPart(text)}`).join("\n\n")
}

/** A heading inside of a part would end it. */
function plainPart(text: string): string {
  const trimmed = text.replaceAll("\r\n", "\n").trim()
  return trimmed === "" ? "None given." : trimmed.replace(/^( {0,3})#/gm, "$1\\#")
}
