import type { ManifestItem } from "../../contract.ts"
import { formatExact } from "../../contract.ts"

/** A folder of which only names and descriptions are in the window. */
export type Folder = {
  readonly path: string
  readonly label: string
  /** What its files are: skills, agents, commands; files where nobody says. */
  readonly noun: string
}

const NOUNS = ["skills", "agents", "commands", "prompts", "rules", "workflows"] as const

/** A skill is a folder of its own inside `skills`, so the nearest folder that has a noun counts. */
export function folderOf(item: Pick<ManifestItem, "path" | "label">): Folder {
  const parts = item.path.split("/").slice(0, -1)
  const named = parts.findLastIndex((part) => NOUNS.some((it) => it === part))
  const depth = named < 0 ? parts.length : named + 1
  const cut = parts.length - depth
  const labelParts = item.label.split("/").slice(0, -1)
  const label = labelParts.slice(0, Math.max(0, labelParts.length - cut)).join("/")
  return {
    path: parts.slice(0, depth).join("/"),
    label: label === "" ? "" : `${label}/`,
    noun: (named < 0 ? undefined : parts[named]) ?? "files",
  }
}

/** Descriptions of 6 skills. */
export function sayFolder({ noun }: Folder, count: number): string {
  return `Descriptions of ${formatExact(count)} ${noun}`
}
