import { type OpenFolder, openFolder } from "#ground/base"

/** A folder to look into, or nothing. */
export function openPlain(path: string): OpenFolder | undefined {
  const opened = openFolder(path)
  return opened.kind === "open" ? opened.folder : undefined
}
