import {
  gatewayIdAt,
  paths,
  pipelineIdAt,
  runIdAt,
  sessionIdAt,
  ticketIdAt,
} from "../data/paths.ts"
import type { IconName } from "../ui/icon/icon.tsx"
import type { Scope } from "./keymap/scopes.ts"

export type PageScope = Exclude<Scope, "everywhere" | "list" | "work">

type PlaceId = Exclude<PageScope, "run" | "gateway" | "pipeline" | "session" | "ticket">

export type NavPage = {
  readonly id: PlaceId
  readonly href: string
  readonly label: string
  readonly icon: IconName
  readonly scope: PageScope
  readonly part: "nav" | "see" | "know" | "choose" | "act" | "foot"
}

const ROWS = [
  ["now", "Now", "now", "nav"],
  ["capture", "Capture", "capture", "see"],
  ["sessions", "Sessions", "pulse", "see"],
  ["cost", "Cost", "cost", "see"],
  ["map", "Map", "map", "know"],
  ["knowledge", "Knowledge", "book", "know"],
  ["memory", "Memory", "memory", "know"],
  ["sources", "Sources", "plug", "know"],
  ["pack", "Pack", "pack", "choose"],
  ["folds", "Folds", "fork", "choose"],
  ["guard", "Guard", "shield", "choose"],
  ["runs", "Runs", "play", "act"],
  ["board", "Board", "board", "act"],
  ["swarm", "Swarm", "swarm", "act"],
  ["pipelines", "Pipelines", "pipeline", "act"],
  ["recipes", "Recipes", "agent", "act"],
  ["skills", "Skills", "code", "act"],
  ["events", "Events", "events", "foot"],
  ["settings", "Settings", "settings", "foot"],
] as const satisfies readonly (readonly [PlaceId, string, IconName, NavPage["part"]])[]

export const PLACES: readonly NavPage[] = ROWS.map(([id, label, icon, part]) => ({
  id,
  href: paths[id](),
  label,
  icon,
  scope: id,
  part,
}))

export function placeAt(path: string): NavPage | undefined {
  if (runIdAt(path) !== undefined) return placeWith("runs", "run")
  if (gatewayIdAt(path) !== undefined) return placeWith("runs", "gateway")
  if (sessionIdAt(path) !== undefined) return placeWith("sessions", "session")
  if (pipelineIdAt(path) !== undefined) return placeWith("pipelines", "pipeline")
  if (ticketIdAt(path) !== undefined) return placeWith("board", "ticket")
  return PLACES.find((it) => it.href === path)
}

function placeWith(id: PlaceId, scope: PageScope): NavPage | undefined {
  const page = PLACES.find((it) => it.id === id)
  return page === undefined ? undefined : { ...page, scope }
}
