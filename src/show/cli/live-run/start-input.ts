import path from "node:path"
import { type AgentType, OPERATIONS, RunConfiguration } from "#ground/contract"
import { RunInputInvalid } from "../errors.ts"

type Typed = Readonly<Record<string, unknown>>

type StartInput = {
  readonly type: AgentType
  readonly prompt: string
  readonly configuration: RunConfiguration
}

/** The fields of `qm run` as the operation takes them: a directory is meant from where one stands. */
export function startFields(typed: Typed, directory: string): Typed {
  const fields = Object.entries(typed).filter(([key]) => key !== "detach")
  return Object.fromEntries(
    fields.map(([key, value]) =>
      key === "cwd" ? [key, path.resolve(directory, String(value))] : [key, value],
    ),
  )
}

/** The same for a run of this process. */
export function startInput(typed: Typed, directory: string): StartInput {
  const parsed = OPERATIONS["agents.start"].input.safeParse(startFields(typed, directory))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw RunInputInvalid({ problem: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}` })
  }
  const { type, prompt, env = [], ...others } = parsed.data
  const given = Object.entries(others).filter(([, value]) => value !== undefined)
  const variables = Object.fromEntries(env.map(nameAndValue))
  const configuration = RunConfiguration.parse({ ...Object.fromEntries(given), env: variables })
  return { type, prompt, configuration }
}

function nameAndValue(variable: string): readonly [string, string] {
  const split = variable.indexOf("=")
  return [variable.slice(0, split), variable.slice(split + 1)]
}
