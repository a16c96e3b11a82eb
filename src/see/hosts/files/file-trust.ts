import path from "node:path"
import { isInside } from "#ground/base"
import type { HostItem, Scope } from "../host.ts"
import type { ReadFile, SurveyReader } from "../survey-reader.ts"

export type TrustFolders = { readonly own: readonly string[]; readonly project: readonly string[] }

export type ReachedFile = {
  readonly realPath: string
  readonly scope: Scope
  /** Where the host's walk found it; absent if a text or a setting chose the path. */
  readonly foundAt?: string
}

/**
 * By the real location. Hosts follow links; the user should know, and only the user should see the text that a
 * project's link loads, also from the user's own folders.
 */
export function belongsTo(file: ReachedFile, grounds: TrustFolders): HostItem["trust"] {
  // A link in the user's own folder, and a path in the user's own file, are the user's choice.
  if (file.scope === "user" || file.scope === "managed") return "own"
  const isOfProject = file.scope === "project" || file.scope === "local"
  // Without a link in its path it is where the project's walk looks, which may be above a project.
  if (isOfProject && file.foundAt === file.realPath) return "project"
  const own = nearest(file.realPath, grounds.own)
  const project = nearest(file.realPath, grounds.project)
  if (!isOfProject && own !== undefined) return "own"
  // A home may be in a project and a project in a home: the nearer folder counts.
  return project !== undefined && project.length > (own?.length ?? -1) ? "project" : "external"
}

export function belongsIfThere(
  file: ReadFile | undefined,
  at: { readonly path: string; readonly scope: Scope },
  grounds: TrustFolders,
): HostItem["trust"] {
  const isOfProject = at.scope === "project" || at.scope === "local"
  if (file === undefined) return isOfProject ? "project" : "own"
  return belongsTo({ realPath: file.realPath, scope: at.scope, foundAt: at.path }, grounds)
}

function nearest(file: string, folders: readonly string[]): string | undefined {
  const around = folders.filter((folder) => isInside(folder, file))
  return around.toSorted((a, b) => b.length - a.length)[0]
}

export async function withRealFolders(
  reader: SurveyReader,
  folders: readonly string[],
): Promise<readonly string[]> {
  const real = await Promise.all(folders.map((it) => reader.realPath(it)))
  return [...new Set([...folders, ...real.filter((it) => it !== undefined)])]
}

/** Single files by the real location of their folders; links are excluded. */
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
  const text = `This path is a link out of its folder to ${realPath}; the host follows it.`
  reader.note({ code: "link-outside", text, path: at })
}
