import path from "node:path"
import { statFile } from "#ground/base"
import type { HostName } from "#ground/contract"
import type { HostPlace } from "./host.ts"

export type SignIn = {
  readonly state: "found" | "missing" | "unknown"
  /** A path with `~`, or the name of a variable. */
  readonly from: string | undefined
}

type SignInPlaces = {
  readonly variables: readonly string[]
  /** Folder variable, default folder in the home, and file; absent if the host uses no file of its own. */
  readonly file?: readonly [variable: string, folder: string, name: string]
  /** On macOS it may be in the keychain instead. */
  readonly mayUseKeychain?: true
}

const PLACES: Readonly<Record<HostName, SignInPlaces>> = {
  "claude-code": {
    variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    file: ["CLAUDE_CONFIG_DIR", ".claude", ".credentials.json"],
    mayUseKeychain: true,
  },
  codex: {
    variables: ["CODEX_API_KEY", "OPENAI_API_KEY"],
    file: ["CODEX_HOME", ".codex", "auth.json"],
    mayUseKeychain: true,
  },
  gemini: {
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    file: ["GEMINI_CLI_HOME", ".gemini", "oauth_creds.json"],
  },
  copilot: { variables: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"] },
  antigravity: { variables: [] },
  // Seen on 1.18: keys of all providers are in one file. Free models need none.
  opencode: { variables: [], file: ["XDG_DATA_HOME", ".local/share", "opencode/auth.json"] },
}

/** Looks for names only: no file is opened and no value of a variable is used. */
export async function findSignIn(place: HostPlace, host: HostName): Promise<SignIn> {
  const { variables, file, mayUseKeychain } = PLACES[host]
  const variable = variables.find((it) => (place.environment[it] ?? "") !== "")
  if (variable !== undefined) return { state: "found", from: variable }
  if (file === undefined) return { state: "unknown", from: undefined }
  const [folderVariable, folder, name] = file
  const own = place.environment[folderVariable]
  const at = path.join(own || path.join(place.home, folder), name)
  if ((await statFile(at)).kind === "found") {
    return { state: "found", from: own ? at : `~/${folder}/${name}` }
  }
  const isUnknown = mayUseKeychain === true && place.platform === "darwin"
  return { state: isUnknown ? "unknown" : "missing", from: undefined }
}
