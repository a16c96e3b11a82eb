import { defineError } from "#ground/base"

type ArgumentsProblem = {
  readonly tool: string
  readonly problems: readonly string[]
  readonly fields: readonly string[]
}

export const ArgumentsInvalid = defineError<ArgumentsProblem>()("MCP_ARGUMENTS_INVALID", {
  family: "invalid",
  message: ({ tool, problems }) => `Invalid arguments for ${tool}: ${problems.join("; ")}.`,
  hint: ({ tool, fields }) => `Call ${tool} again with ${fields.join(", ")}.`.slice(0, 160),
})

type UnknownToolSet = { readonly given: string; readonly known: readonly string[] }

export const ToolSetUnknown = defineError<UnknownToolSet>()("MCP_TOOLSET_UNKNOWN", {
  family: "invalid",
  message: ({ given, known }) =>
    `${given === "" ? "The tool set is missing" : `Unknown tool set "${given}"`}; known sets: ${known.join(", ")}.`,
  hint: ({ known }) => `Name one of them: --tools ${known[0] ?? ""}.`,
})
