import { spawnSync } from "node:child_process"

/** Debian packages that full mode needs and `npm ci` cannot install, by program. */
const PACKAGES: Readonly<Record<string, string>> = {
  strace: "strace",
  openssl: "openssl",
}

export function installTools(): void {
  for (const [program, name] of Object.entries(PACKAGES)) {
    if (succeeds(program, [program === "openssl" ? "version" : "--version"])) continue
    if (canInstall() && install(name)) continue
    process.stderr.write(
      `${program} is missing and could not be installed; as root run: apt-get install ${name}\n`,
    )
  }
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && succeeds("apt-get", ["--version"])
}

/** The package list of a fresh container is empty, so the first failure triggers an update. */
function install(name: string): boolean {
  const args = ["install", "-y", "--no-install-recommends", name]
  if (aptGet(args)) return true
  return aptGet(["update"]) && aptGet(args)
}

function aptGet(args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  return spawnSync("apt-get", args, { env, stdio: ["ignore", "inherit", "inherit"] }).status === 0
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0
}
