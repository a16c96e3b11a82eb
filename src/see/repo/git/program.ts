import path from "node:path"
import { FileNotReadable, realPath, statFile } from "#ground/base"

/**
 * The first git on the PATH that did not come with the project: npm puts a folder of the project
 * on the PATH, and those of all folders above it, and a repository could bring a program of that
 * name along.
 */
export async function findGitProgram(options: {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The working tree, without links. */
  readonly outside: string
}): Promise<string | undefined> {
  const searched = options.environment["PATH"] ?? options.environment["Path"] ?? ""
  const name = process.platform === "win32" ? "git.exe" : "git"
  // A relative entry means another folder in every folder.
  const folders = searched.split(path.delimiter).filter((it) => path.isAbsolute(it))
  for (const folder of folders) {
    const program = await programAt(path.join(folder, name))
    if (program === undefined || isInstalledByNpm(program)) continue
    if (!isInside(options.outside, program)) return program
  }
  return undefined
}

async function programAt(file: string): Promise<string | undefined> {
  try {
    const real = await realPath(file)
    const found = await statFile(real)
    if (found.kind !== "found" || found.what !== "regular file") return undefined
    const isExecutable = process.platform === "win32" || (found.stat.mode & 0o111) !== 0
    return isExecutable ? real : undefined
  } catch (error) {
    if (!FileNotReadable.is(error)) throw error
    return undefined
  }
}

function isInstalledByNpm(program: string): boolean {
  return program.split(path.sep).includes("node_modules")
}

function isInside(folder: string, file: string): boolean {
  const way = path.relative(folder, file)
  return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
}
