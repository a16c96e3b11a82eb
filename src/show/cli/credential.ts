import { CredentialMissing } from "./errors.ts"
import { readTyped } from "./read-typed.ts"
import { type RunContext, runOperation } from "./run-operation.ts"

/** The value comes from stdin or is typed unseen; it is in no argument and on no screen. */
export async function setCredential(
  input: Readonly<Record<string, unknown>>,
  context: RunContext,
): Promise<number> {
  const value = (await readValue(context))?.trim() ?? ""
  if (value === "") throw CredentialMissing({ name: String(input["name"]) })
  return runOperation("credential.set", { ...input, value }, context)
}

async function readValue({ terminal }: RunContext): Promise<string | undefined> {
  const { readKey, readStdin, stderr, signal } = terminal
  if (readKey === undefined) return readStdin?.()
  stderr.write("Value (it is not shown): ")
  return readTyped({ readKey, signal, echo: () => {}, end: () => stderr.write("\n") })
}
