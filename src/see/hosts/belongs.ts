import type { Found } from "./host.ts"
import { isInside } from "./inside.ts"
import type { Look, ReadFile } from "./look.ts"

/** The folders whose files belong to the person, and those that belong to the project. */
export type Grounds = { readonly own: readonly string[]; readonly project: readonly string[] }

/**
 * Whose a file is, by where it really lies. The hosts follow links out of a repository; a person
 * should hear of it.
 */
export function belongsTo(file: ReadFile, at: string, grounds: Grounds): Found["trust"] {
  const lies = (folders: readonly string[]) =>
    folders.some((folder) => isInside(file.realPath, folder))
  // The place it was found at decides first: a project may lie in a home, and a home in a project.
  const isOwnPlace = grounds.own.some((folder) => isInside(at, folder))
  if (isOwnPlace && lies(grounds.own)) return "own"
  return lies(grounds.project) ? "project" : "external"
}

export function noteLinkOutside(look: Look, path: string, realPath: string): void {
  const text = `This path leads out of its folder, to ${realPath}; the host follows it.`
  look.note({ code: "link-outside", text, path })
}
