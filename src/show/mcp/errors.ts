import { defineError } from "#ground/base"

type ArgumentsProblem = {
  readonly tool: string
  readonly problems: readonly string[]
  readonly fields: readonly string[]
}

export const ArgumentsInvalid = defineError<ArgumentsProblem>()("MCP_ARGUMENTS_INVALID", {
  family: "invalid",
  message: ({ tool, problems }) => `${tool} cannot use these arguments: ${problems.join("; ")}.`,
  hint: ({ tool, fields }) => `Call ${tool} again with ${fields.join(", ")}.`.slice(0, 160),
})

type UnknownToolSet = { readonly given: string; readonly known: readonly string[] }

export const ToolSetUnknown = defineError<UnknownToolSet>()("MCP_TOOLSET_UNKNOWN", {
  family: "invalid",
  message: ({ given, known }) =>
    `${given === "" ? "No set of tools was named" : `There is no set of tools "${given}"`}; known: ${known.join(", ")}.`,
  hint: ({ known }) => `Name one of them, for example --tools ${known[0] ?? ""}.`,
})
