type DecisionParts = {
  readonly context: string
  readonly decision: string
  readonly consequences: string
}

export function decisionBody({ context, decision, consequences }: DecisionParts): string {
  const parts = [
    ["Context", context],
    ["Decision", decision],
    ["Consequences", consequences],
  ] as const
  return parts.map(([heading, text]) => `## ${heading}\n\n${plainPart(text)}`).join("\n\n")
}

/** A heading in a part would end it. */
function plainPart(text: string): string {
  const trimmed = text.replaceAll("\r\n", "\n").trim()
  return trimmed === "" ? "None given." : trimmed.replace(/^( {0,3})#/gm, "$1\\#")
}
