import { tmpdir } from "node:os"
import { pickEnvironment, run } from "#ground/base"

/** The user may have to unlock a keychain in a dialog. */
const KEYCHAIN_MS = 60_000

const LARGEST_OUTPUT_BYTES = 16_384

const SERVICE = "quartermaster"
const LABEL = "Quartermaster credentials"

/**
 * A key under the protection of the operating system, over its own program. The key is on stdin or
 * stdout, never in the arguments, which other users can read.
 */
export type Keychain = {
  readonly title: string
  /** Returns the text that `get` needs, stored beside the credentials; undefined after a failure. */
  put(id: string, key: Uint8Array): Promise<string | undefined>
  get(id: string, stored: string): Promise<Uint8Array | undefined>
  remove(id: string): Promise<void>
}

export type KeychainOptions = {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Other programs than those of the system, for tests. */
  readonly programs?: Readonly<Partial<Record<"security" | "secret-tool" | "powershell", string>>>
}

/** Undefined where the system has none, or the user switched it off with QM_KEYCHAIN=off. */
export function systemKeychain(options: KeychainOptions): Keychain | undefined {
  const { platform, environment, programs = {} } = options
  if (environment["QM_KEYCHAIN"] === "off") return undefined
  const ask = createProgram(environment)
  if (platform === "darwin") return macKeychain(ask, programs.security ?? "/usr/bin/security")
  if (platform === "win32") return windowsProtection(ask, programs.powershell ?? "powershell.exe")
  // Without a session bus the program would start one, or wait for it.
  const hasBus = (environment["DBUS_SESSION_BUS_ADDRESS"] ?? "") !== ""
  return hasBus ? secretService(ask, programs["secret-tool"] ?? "secret-tool") : undefined
}

type Ask = (file: string, args: readonly string[], input?: string) => Promise<string | undefined>

/** Variables that find the user's session and its dialogs; none contains a key. */
const SESSION_VARIABLES = (
  "PATH HOME USER LOGNAME LANG DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY " +
  "XAUTHORITY Path SystemRoot SYSTEMROOT USERPROFILE APPDATA LOCALAPPDATA TEMP TMP"
).split(" ")

/** The output of a program that ended well. */
function createProgram(environment: KeychainOptions["environment"]): Ask {
  const env = pickEnvironment(environment, SESSION_VARIABLES)
  return async (file, args, input) => {
    const outcome = await run(file, args, {
      // Not the repository: a relative entry of PATH must not find a program there.
      cwd: tmpdir(),
      env,
      timeoutMs: KEYCHAIN_MS,
      maxOutputBytes: LARGEST_OUTPUT_BYTES,
      ...(input !== undefined && { input }),
    })
    const isGood = outcome.kind === "exited" && outcome.code === 0
    return isGood ? outcome.stdout.toString("utf8").trim() : undefined
  }
}

/** `security -i` reads its commands from stdin; ids and keys are hexadecimal and need no quotes. */
function macKeychain(ask: Ask, security: string): Keychain {
  const item = (id: string) => ["-a", id, "-s", SERVICE]
  return {
    title: "the macOS keychain",
    async put(id, key) {
      const command = [
        "add-generic-password",
        "-U",
        ...item(id),
        "-l",
        `"${LABEL}"`,
        "-w",
        hex(key),
      ]
      const output = await ask(security, ["-i"], `${command.join(" ")}\n`)
      return output === undefined ? undefined : ""
    },
    get: async (id) => keyIn(await ask(security, ["find-generic-password", ...item(id), "-w"])),
    async remove(id) {
      await ask(security, ["delete-generic-password", ...item(id)])
    },
  }
}

/** GNOME Keyring, KWallet and others, over libsecret. */
function secretService(ask: Ask, secretTool: string): Keychain {
  const item = (id: string) => ["service", SERVICE, "account", id]
  return {
    title: "the keyring of this desktop",
    async put(id, key) {
      const output = await ask(secretTool, ["store", `--label=${LABEL}`, ...item(id)], hex(key))
      return output === undefined ? undefined : ""
    },
    get: async (id) => keyIn(await ask(secretTool, ["lookup", ...item(id)])),
    async remove(id) {
      await ask(secretTool, ["clear", ...item(id)])
    },
  }
}

/** DPAPI encrypts for the user's account; the result is stored beside the credentials. */
function windowsProtection(ask: Ask, powershell: string): Keychain {
  const args = (verb: "Protect" | "Unprotect") => [
    "-NoProfile",
    "-NonInteractive",
    "-Command",
    [
      "$ErrorActionPreference = 'Stop'",
      "Add-Type -AssemblyName System.Security",
      "$bytes = [Convert]::FromBase64String([Console]::In.ReadToEnd().Trim())",
      `$result = [Security.Cryptography.ProtectedData]::${verb}($bytes, $null, 'CurrentUser')`,
      "[Console]::Out.Write([Convert]::ToBase64String($result))",
    ].join("; "),
  ]
  return {
    title: "Windows data protection",
    async put(_, key) {
      const output = await ask(powershell, args("Protect"), Buffer.from(key).toString("base64"))
      const bytes = Buffer.from(output ?? "", "base64")
      return bytes.length === 0 ? undefined : bytes.toString("hex")
    },
    async get(_, stored) {
      const input = Buffer.from(stored, "hex").toString("base64")
      const output = await ask(powershell, args("Unprotect"), input)
      return keyIn(output === undefined ? undefined : Buffer.from(output, "base64").toString("hex"))
    },
    remove: async () => {},
  }
}

function hex(key: Uint8Array): string {
  return Buffer.from(key).toString("hex")
}

function keyIn(text: string | undefined): Uint8Array | undefined {
  return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : undefined
}
