import { type Finding, type Findings, fail } from "./finding.ts"
import type { Tree } from "./tree.ts"
import { BANNED_FOLDERS, FRONT_DOOR, ROOM_RANK, roomOf, WINGS, WITHOUT_MAIN_FILE } from "./wings.ts"

export function checkRooms(tree: Tree): Findings {
  const inSource = [...tree.paths].filter((path) => path.startsWith("src/"))
  const rooms = new Set(inSource.flatMap((path) => roomOf(path) ?? []))
  return fail(
    ...bannedFolders(tree),
    ...inSource.filter((path) => roomOf(path) === undefined && path !== FRONT_DOOR).map(strayFile),
    ...[...rooms].flatMap((room) =>
      ROOM_RANK.has(room) ? missingFiles(tree, room) : [unknownRoom(room)],
    ),
  )
}

function bannedFolders(tree: Tree): readonly Finding[] {
  const folders = new Map<string, string>()
  for (const path of tree.paths) {
    const parts = path.split("/").slice(0, -1)
    const banned = parts.findIndex((part) => BANNED_FOLDERS.has(part.toLowerCase()))
    if (banned >= 0) folders.set(parts.slice(0, banned + 1).join("/"), parts[banned] ?? "")
  }
  return [...folders].map(([where, name]) => ({
    where,
    wrong: `"${name}" does not describe its contents.`,
    instead: "Name the folder after its contents, or move each file to the room that uses it.",
  }))
}

function strayFile(where: string): Finding {
  return {
    where,
    wrong: "The file is in no room.",
    instead: "Move it to src/<wing>/<room>/; every source file belongs to a room.",
  }
}

function unknownRoom(room: string): Finding {
  const wings = WINGS.map((it) => it.wing).join(", ")
  return {
    where: `src/${room}`,
    wrong: "The folder is not in the list of wings and rooms.",
    instead: `Use a known wing (${wings}) and room, or add it to scripts/tidy/wings.ts.`,
  }
}

function missingFiles(tree: Tree, room: string): readonly Finding[] {
  const name = room.split("/")[1] ?? ""
  const isShow = room.startsWith("show/")
  const mains = isShow ? [`${name}.ts`, "main.ts"] : [`${name}.ts`]
  const obligatory = [
    { files: ["README.md"], why: "Write one page: purpose, files, vocabulary, rules." },
    { files: ["index.ts"], why: "Export the public names there, and nothing else." },
    ...(room in WITHOUT_MAIN_FILE
      ? []
      : [{ files: mains, why: "Put the main path there, readable from top to bottom." }]),
  ]
  return obligatory
    .filter(({ files }) => !files.some((file) => tree.paths.has(`src/${room}/${file}`)))
    .map(({ files, why }) => ({
      where: `src/${room}`,
      wrong: `The room has no ${files.join(" or ")}.`,
      instead: why,
    }))
}
