import type { ContextPack, PackFile } from "../src/contract.ts"

/** What a package would look like in the four formats, roughly. */
export function textOf(pack: ContextPack, format: string): string {
  switch (format) {
    case "json":
      return JSON.stringify(pack, null, 2)
    case "xml":
      return xmlOf(pack)
    case "markdown":
      return `${summaryOf(pack)}\n${pack.files.map(blockOf).join("\n")}`
    default:
      return summaryOf(pack)
  }
}

function summaryOf({ task, files, tokens, budget, dependencies }: ContextPack): string {
  return [
    "## Context Package",
    "",
    `Task: ${task}`,
    `Files included: ${files.length} (${tokens} tokens)`,
    `Budget: ${budget}`,
    "",
    "### Key Files",
    "",
    ...files.flatMap(({ path, score, symbols }) => [
      `${path}  ${score.toFixed(2)}`,
      ...(symbols.length === 0 ? [] : [`  ${symbols.join(", ")}`]),
    ]),
    "",
    "### Dependencies",
    "",
    ...dependencies.map((it) => `${it.from} -> ${it.to}  ${it.names.join(", ")}`),
    "",
  ].join("\n")
}

function blockOf({ path, pieces }: PackFile): string {
  const parts = pieces.map((it) => `lines ${it.fromLine}-${it.toLine}\n${it.text}`)
  return `### ${path}\n\n${parts.join("")}`
}

function xmlOf({ task, files }: ContextPack): string {
  const blocks = files.map(
    ({ path, pieces }) => `<file path="${path}">\n${pieces.map((it) => it.text).join("")}</file>\n`,
  )
  return `<package task="${task}">\n${blocks.join("")}</package>\n`
}
