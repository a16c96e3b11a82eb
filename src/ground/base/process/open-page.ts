import { tmpdir } from "node:os"
import { launch, pickEnvironment } from "./spawn.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that a desktop program needs to find its display. */
const DESKTOP_VARIABLES = [
  "PATH",
  "HOME",
  "LANG",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR",
  "XDG_CURRENT_DESKTOP",
  "XDG_SESSION_TYPE",
  "DBUS_SESSION_BUS_ADDRESS",
  "SYSTEMROOT",
]

/**
 * Opens a page in the browser; without a display, or if no program takes it, the printed link is
 * enough.
 */
export async function openPage(url: string, environment: Environment): Promise<void> {
  if (!hasScreen(environment)) return
  const [file, ...args] = OPENERS[process.platform] ?? ["xdg-open"]
  if (file === undefined) return
  await launch(file, [...args, url], desktop(environment))
}

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
}

const CHROMIUMS = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "microsoft-edge",
  "brave-browser",
]

/** An app window without browser controls. Returns the program, if there is one. */
export async function openWindow(
  url: string,
  environment: Environment,
): Promise<string | undefined> {
  if (!hasScreen(environment)) return undefined
  for (const program of CHROMIUMS) {
    const outcome = await launch(program, [`--app=${url}`], desktop(environment))
    if (outcome.kind === "launched") return program
  }
  return undefined
}

function desktop(environment: Environment) {
  return { cwd: tmpdir(), env: pickEnvironment(environment, DESKTOP_VARIABLES) }
}

function hasScreen(environment: Environment): boolean {
  if (process.platform === "darwin" || process.platform === "win32") return true
  return Boolean(environment["DISPLAY"] ?? environment["WAYLAND_DISPLAY"])
}
