import { type Environment, pickEnvironment } from "#ground/base"

/** What any program needs to start, on Unix and on Windows; no key is among them. */
const EVERYWHERE: readonly string[] = (
  "PATH HOME USER LOGNAME LANG LC_ALL TZ TMPDIR " +
  "Path PATHEXT SystemRoot ComSpec USERPROFILE APPDATA LOCALAPPDATA TEMP TMP"
).split(" ")

/**
 * What a server's process sees: the basics, and the variables its description names. One that is
 * not set is looked for among the credentials, as `brave-api-key` for `BRAVE_API_KEY`.
 */
export async function environmentFor(
  names: readonly string[],
  deps: {
    readonly environment: Readonly<Record<string, string | undefined>>
    credential(name: string): Promise<string | undefined>
  },
): Promise<Environment> {
  const given = pickEnvironment(deps.environment, [...EVERYWHERE, ...names])
  const missing = names.filter((name) => given[name] === undefined)
  const kept = await Promise.all(
    missing.map(async (name) => [name, await deps.credential(credentialNameOf(name))] as const),
  )
  return { ...given, ...pickEnvironment(Object.fromEntries(kept), missing) }
}

function credentialNameOf(variable: string): string {
  return variable.toLowerCase().replaceAll("_", "-")
}
