import { spawnSync } from "node:child_process"

/** Debian packages that full mode needs and `npm ci` cannot install, by program. */
const PACKAGES: Readonly<Record<string, { readonly name: string; readonly probe: string[] }>> = {
  strace: { name: "strace", probe: ["--version"] },
  openssl: { name: "openssl", probe: ["version"] },
  python3: { name: "python3-pytest", probe: ["-m", "pytest", "--version"] },
  go: { name: "golang-go", probe: ["version"] },
  cargo: { name: "cargo", probe: ["--version"] },
  phpunit: { name: "phpunit", probe: ["--version"] },
  gh: { name: "gh", probe: ["--version"] },
}

export function installTools(): void {
  const missing = Object.entries(PACKAGES).filter(
    ([program, { probe }]) => !succeeds(program, probe),
  )
  if (missing.length === 0) return
  const names = missing.map(([, { name }]) => name)
  if (canInstall() && install(names)) return
  process.stderr.write(
    `missing and could not be installed; as root run: apt-get install ${names.join(" ")}\n`,
  )
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && succeeds("apt-get", ["--version"])
}

/**
 * The package list of a fresh container is empty, so the first failure triggers an update. Without
 * the sync of every unpacked file the installation takes half of the time.
 */
function install(names: readonly string[]): boolean {
  const args = [
    "install",
    "-y",
    "--no-install-recommends",
    "-o",
    "Dpkg::Options::=--force-unsafe-io",
  ]
  if (aptGet([...args, ...names])) return true
  return aptGet(["update"]) && aptGet([...args, ...names])
}

function aptGet(args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  return spawnSync("apt-get", args, { env, stdio: ["ignore", "inherit", "inherit"] }).status === 0
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0
}
