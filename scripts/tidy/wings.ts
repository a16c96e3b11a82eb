/**
 * The architecture as one list. A room imports rooms of earlier wings, or of earlier levels in its
 * own wing: never sideways, never back.
 */
export const WINGS = [
  {
    wing: "ground",
    levels: [["base"], ["contract"], ["store", "tokens", "secrets", "model"], ["people"]],
  },
  { wing: "see", levels: [["repo", "hosts", "sources"], ["capture"]] },
  {
    wing: "know",
    levels: [["search"], ["map", "knowledge", "memory", "ledger", "sessions", "board", "plans"]],
  },
  { wing: "choose", levels: [["pack"], ["fold"], ["guard", "proof"], ["report"]] },
  {
    wing: "act",
    levels: [
      ["agents", "gateway", "kit", "media", "remote", "review", "scaffold", "worktrees"],
      ["pipeline", "swarm"],
    ],
  },
  { wing: "show", levels: [["app"], ["cli", "http", "mcp", "hooks"]] },
] as const

/** Names that say nothing about the contents, so that everything ends up there. */
export const BANNED_FOLDERS: ReadonlySet<string> = new Set(
  "core shared utils util helpers common lib misc services managers types".split(" "),
)

/** Rooms that need no file of their own name. One line each, with the reason. */
export const WITHOUT_MAIN_FILE: Readonly<Record<string, string>> = {
  "ground/base": "small independent files without a main path",
  "ground/contract": "types only, one file per owning room",
}

export const ONLY_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  "ground/contract": ["zod"],
}

/**
 * The hook process starts at every tool call: it may import the rooms up to this one and no
 * package.
 */
export const HOOKS = "show/hooks"
/** Loaded once by opencode, in a bundle of its own; the hook process may still import from it. */
export const HOST_PLUGIN = "src/show/hooks/opencode/"
export const HIGHEST_FOR_HOOKS = "choose/guard"

export const ROOM_RANK: ReadonlyMap<string, number> = rankRooms()

export function roomOf(path: string): string | undefined {
  const [, wing, room] = /^src\/([^/]+)\/([^/]+)\//.exec(path) ?? []
  return wing === undefined || room === undefined ? undefined : `${wing}/${room}`
}

function rankRooms(): ReadonlyMap<string, number> {
  const levels = WINGS.flatMap(({ wing, levels: rooms }) =>
    rooms.map((level) => level.map((room) => `${wing}/${room}`)),
  )
  return new Map(levels.flatMap((rooms, rank) => rooms.map((room) => [room, rank] as const)))
}

export const FRONT_DOOR = "src/show/main.ts"
