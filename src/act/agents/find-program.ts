import path from "node:path"
import { isInside, realPath } from "#ground/base"
import type { HostName } from "#ground/contract"
import {
  findProgram,
  type Host,
  type HostPlace,
  loadHost,
  realDisk,
  type WantedProgram,
} from "#see/hosts"
import type { FindOptions, ProgramSearch } from "./agent.ts"

type AgentProgram = {
  /** A host that `see/hosts` knows, or the program itself. */
  readonly host: HostName | WantedProgram
  readonly title: string
  readonly install: string | undefined
}

/**
 * Finds the first program on the PATH outside the project. A repository could contain a program of
 * that name, or a link to one, which would then run with the user's keys.
 */
export async function findProgramOf(
  program: AgentProgram,
  options: FindOptions,
): Promise<ProgramSearch> {
  const find = await finderOf(program.host)
  const disk = realDisk()
  const projects = await Promise.all(options.projectFolders.map(realOrItself))
  let refused: string | undefined
  for (const folder of searchFolders(options)) {
    const installed = await find(placeOf(options, folder), disk)
    if (installed === undefined) continue
    const isOfProject = [installed.program, await realOrItself(folder)].some((it) =>
      projects.some((project) => isInside(project, it)),
    )
    if (!isOfProject)
      return { kind: "found", program: installed.program, version: installed.version }
    refused ??= installed.program
  }
  return { kind: "missing", hint: hintFor(program, refused) }
}

async function finderOf(host: AgentProgram["host"]): Promise<Host["findInstalled"]> {
  if (typeof host === "string") return (await loadHost(host)).findInstalled
  return (place, disk) => findProgram(place, disk, host)
}

function hintFor(program: AgentProgram, refused: string | undefined): string {
  const how = program.install === undefined ? "" : ` with \`${program.install}\``
  const install = `Install ${program.title}${how}`
  return refused === undefined
    ? `${install}, then try again.`
    : `${install} outside the project: the program in ${path.dirname(refused)} is inside it and is not used.`
}

function searchFolders(options: FindOptions): readonly string[] {
  const search = options.environment["PATH"] ?? options.environment["Path"] ?? ""
  return search.split(path.delimiter).filter((it) => path.isAbsolute(it))
}

/** One folder at a time, so that a refused program does not hide the next. */
function placeOf(options: FindOptions, folder: string): HostPlace {
  const { platform } = process
  const home = options.environment["HOME"] ?? options.environment["USERPROFILE"] ?? folder
  return {
    workingDirectory: folder,
    home,
    environment: { ...options.environment, PATH: folder, Path: undefined },
    platform: platform === "win32" || platform === "darwin" ? platform : "linux",
  }
}

async function realOrItself(folder: string): Promise<string> {
  return await realPath(folder).catch(() => path.resolve(folder))
}
