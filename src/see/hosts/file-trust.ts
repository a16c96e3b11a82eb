import path from "node:path"
import { isInside } from "#ground/base"
import type { HostItem, Scope } from "./host.ts"
import type { ReadFile, SurveyReader } from "./survey-reader.ts"

/** The folders whose files belong to the person, and those that belong to the project. */
export type Grounds = { readonly own: readonly string[]; readonly project: readonly string[] }

/** A file as a host came to it. */
export type Reached = {
  readonly realPath: string
  readonly scope: Scope
  /** Where the host's own walk found it; absent when a text or a setting chose the path. */
  readonly foundAt?: string
}

/**
 * Whose a file is, by where it really lies. The hosts follow links; a person should hear of it, and
 * nobody else should get to see what a link of a project brings in, also from the person's own
 * folders.
 */
export function belongsTo(it: Reached, grounds: Grounds): HostItem["trust"] {
  // A link in a person's own folder, and a path their own file names, are their own doing.
  if (it.scope === "user" || it.scope === "managed") return "own"
  const isOfProject = it.scope === "project" || it.scope === "local"
  // Without a link on its way it lies where the project's walk looks, which may be above a project.
  if (isOfProject && it.foundAt === it.realPath) return "project"
  const own = nearest(it.realPath, grounds.own)
  const project = nearest(it.realPath, grounds.project)
  if (!isOfProject && own !== undefined) return "own"
  // A home may lie in a project, and a project in a home: the nearer folder is the one that counts.
  return project !== undefined && project.length > (own?.length ?? -1) ? "project" : "external"
}

/** The same for a file that may not be there: then what it would have been. */
export function belongsIfThere(
  file: ReadFile | undefined,
  at: { readonly path: string; readonly scope: Scope },
  grounds: Grounds,
): HostItem["trust"] {
  const isOfProject = at.scope === "project" || at.scope === "local"
  if (file === undefined) return isOfProject ? "project" : "own"
  return belongsTo({ realPath: file.realPath, scope: at.scope, foundAt: at.path }, grounds)
}

function nearest(file: string, folders: readonly string[]): string | undefined {
  const around = folders.filter((folder) => isInside(folder, file))
  return around.toSorted((a, b) => b.length - a.length)[0]
}

/** Folders with where they really lie: a config folder as a whole may be a link of the person's. */
export async function withRealFolders(
  reader: SurveyReader,
  folders: readonly string[],
): Promise<readonly string[]> {
  const real = await Promise.all(folders.map((it) => reader.realPath(it)))
  return [...new Set([...folders, ...real.filter((it) => it !== undefined)])]
}

/** Files that stand for themselves, by where their folders really lie; a link is none of them. */
export async function withRealPlaces(
  reader: SurveyReader,
  files: readonly string[],
): Promise<readonly string[]> {
  const places = files.map(async (file) => {
    const folders = await withRealFolders(reader, [path.dirname(file)])
    return folders.map((it) => path.join(it, path.basename(file)))
  })
  return (await Promise.all(places)).flat()
}

export function noteLinkOutside(reader: SurveyReader, at: string, realPath: string): void {
  const text = `This path leads out of its folder, to ${realPath}; the host follows it.`
  reader.note({ code: "link-outside", text, path: at })
}
