import path from "node:path"
import { z } from "zod"
import { parseJson } from "#ground/base"
import type { Disk } from "./files/disk.ts"
import type { HostPlace, InstalledHost } from "./host.ts"
import { DEEPEST_FOLDER_LEVELS, SETTINGS_LIMIT_BYTES } from "./limits.ts"

export type WantedProgram = {
  readonly names: readonly string[]
  readonly packages: readonly string[]
}

/**
 * The version comes from files around the program. Nothing is started: a program reports its
 * version only by running.
 */
export async function findProgram(
  place: HostPlace,
  disk: Disk,
  query: WantedProgram,
): Promise<InstalledHost | undefined> {
  for (const candidate of candidates(place, query.names)) {
    const program = await programAt(candidate, disk)
    if (program === undefined) continue
    const version =
      versionInPath(program) ?? (await versionOfPackage(program, disk, query.packages))
    return { program, version, foundAt: candidate }
  }
  return undefined
}

function candidates(place: HostPlace, names: readonly string[]): readonly string[] {
  const isWindows = place.platform === "win32"
  const flavour = isWindows ? path.win32 : path.posix
  const endings = isWindows ? [".exe", ".cmd", ""] : [""]
  const searchPath = place.environment["PATH"] ?? place.environment["Path"] ?? ""
  // A relative entry would mean another program in every folder.
  const folders = searchPath.split(flavour.delimiter).filter((it) => flavour.isAbsolute(it))
  const files = names.flatMap((name) => endings.map((ending) => name + ending))
  return folders.flatMap((folder) => files.map((file) => flavour.join(folder, file)))
}

async function programAt(candidate: string, disk: Disk): Promise<string | undefined> {
  // One byte shows that a file exists; programs have hundreds of megabytes.
  const file = await disk.read(candidate, { maxBytes: 1 })
  const isFile = file.kind === "file" || file.kind === "too-large"
  return isFile ? file.realPath : undefined
}

/** Native installers store each version in a folder or a file named after it. */
function versionInPath(program: string): string | undefined {
  return /[/\\]versions[/\\]v?(\d{1,9}\.\d{1,9}\.\d{1,9}[\w.+-]{0,100}?)(?:[/\\]|$)/.exec(
    program,
  )?.[1]
}

async function versionOfPackage(
  program: string,
  disk: Disk,
  packages: readonly string[],
): Promise<string | undefined> {
  for (const folder of foldersAbove(program)) {
    const own = await packageAt(path.join(folder, "package.json"), disk, packages)
    if (own !== undefined) return own
  }
  // On Windows the PATH has a script, and the package is beside it.
  for (const name of packages) {
    const file = path.join(path.dirname(program), "node_modules", name, "package.json")
    const beside = await packageAt(file, disk, packages)
    if (beside !== undefined) return beside
  }
  return undefined
}

function foldersAbove(file: string): readonly string[] {
  const folders: string[] = []
  for (let at = path.dirname(file); folders.length < DEEPEST_FOLDER_LEVELS; at = path.dirname(at)) {
    folders.push(at)
    if (path.dirname(at) === at) break
  }
  return folders
}

const PackageJson = z.object({ name: z.string(), version: z.string() })

async function packageAt(
  file: string,
  disk: Disk,
  packages: readonly string[],
): Promise<string | undefined> {
  const diskFile = await disk.read(file, { maxBytes: SETTINGS_LIMIT_BYTES })
  if (diskFile.kind !== "file") return undefined
  const parsed = PackageJson.safeParse(parseJson(diskFile.bytes.toString()))
  const isOurs = parsed.success && packages.includes(parsed.data.name)
  return isOurs ? parsed.data.version.replace(PLATFORM_ENDING, "") : undefined
}

/** Some hosts publish one version per platform, named after it: 0.166.0-linux-x64. */
const PLATFORM_ENDING = /-(?:linux|darwin|win32)-(?:x64|arm64)(?:-musl)?$/
