import { type DirectoryEntry, type FileStat, type OpenFolder, openFolder } from "#ground/base"
import { irregular, unreadable } from "./files.ts"
import { FOLDER_KINDS, MEMORY_FOLDER } from "./folders.ts"
import { DEEPEST_FOLDER_LEVELS, MOST_ENTRIES, MOST_FILES } from "./limits.ts"

export type FoundFile = { readonly file: string; readonly stat: FileStat }
export type Problem = { readonly file: string; readonly problem: string }
export type FoundFiles = {
  readonly files: readonly FoundFile[]
  readonly problems: readonly Problem[]
}

/** The files that may be memories, by name. Each step down is one into a real folder. */
export function findFiles(root: string): FoundFiles {
  const found: Found = { files: [], problems: [] }
  const top = openFolder(root)
  if (top.kind !== "open") return found
  using folder = top.folder
  visit({ folder, way: [] }, found)
  return found
}

type Found = { readonly files: FoundFile[]; readonly problems: Problem[] }
type Place = { readonly folder: OpenFolder; readonly way: readonly string[] }

/** Down the one way to the four folders; below them, everything. */
function visit(place: Place, found: Found): void {
  const depth = place.way.length
  const next = MEMORY_FOLDER[depth]
  if (next !== undefined) enter(place, next, found)
  else if (depth > MEMORY_FOLDER.length) visitAll(place, found)
  else for (const name of Object.keys(FOLDER_KINDS).toSorted()) enter(place, name, found)
}

function enter({ folder, way }: Place, name: string, found: Found): void {
  const file = [...way, name].join("/")
  const opened = folder.open(name)
  switch (opened.kind) {
    case "open": {
      using inner = opened.folder
      return visit({ folder: inner, way: [...way, name] }, found)
    }
    case "missing":
      return
    case "not-directory":
      return void found.problems.push({ file, problem: irregular(opened.what) })
    case "unreadable":
      return void found.problems.push({ file, problem: unreadable(opened.reason) })
    default:
      return opened satisfies never
  }
}

function visitAll(place: Place, found: Found): void {
  const file = place.way.join("/")
  const listed = place.folder.list({ maxEntries: MOST_ENTRIES })
  switch (listed.kind) {
    case "listed":
      for (const name of listed.unnameable)
        found.problems.push({ file: `${file}/${name}`, problem: "its name is not UTF-8" })
      for (const entry of listed.entries) take(place, entry, found)
      return
    case "missing":
      return
    case "too-many":
      return void found.problems.push({ file, problem: `it holds more than ${MOST_ENTRIES} files` })
    case "unreadable":
      return void found.problems.push({ file, problem: unreadable(listed.reason) })
    default:
      return listed satisfies never
  }
}

function take(place: Place, { name, what }: DirectoryEntry, found: Found): void {
  const file = [...place.way, name].join("/")
  if (name.startsWith(".")) return
  if (what === "directory") {
    const isDeep = place.way.length - MEMORY_FOLDER.length >= DEEPEST_FOLDER_LEVELS
    if (isDeep) found.problems.push({ file, problem: "the folder lies too deep" })
    else enter(place, name, found)
    return
  }
  const isOther = !/\.md$/i.test(name) || /^readme\.md$/i.test(name)
  if (isOther) return
  const looked = place.folder.stat(name)
  if (looked.kind === "missing") return
  const problem = problemWith(looked, found.files.length)
  if (problem !== undefined) found.problems.push({ file, problem })
  else if (looked.kind === "found") found.files.push({ file, stat: looked.stat })
}

function problemWith(
  looked: Exclude<ReturnType<OpenFolder["stat"]>, { kind: "missing" }>,
  count: number,
): string | undefined {
  if (looked.kind === "unreadable") return unreadable(looked.reason)
  if (looked.what !== "regular file") return irregular(looked.what)
  return count >= MOST_FILES ? `there are more than ${MOST_FILES} files` : undefined
}
