import { type OpenFolder, openFolder } from "#ground/base"

/** A folder below a root, step by step: a link on the way would lead out, and is not followed. */
export function openBelow(root: string, way: string): OpenFolder | undefined {
  const opened = openFolder(root)
  let at = opened.kind === "open" ? opened.folder : undefined
  for (const name of way.split("/")) {
    if (at === undefined) return undefined
    using above = at
    const next = above.open(name)
    at = next.kind === "open" ? next.folder : undefined
  }
  return at
}
