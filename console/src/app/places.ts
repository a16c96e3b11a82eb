import { gatewayIdAt } from "../data/gateway-search.ts"
import { paths, runIdAt } from "../data/paths.ts"
import { pipelineIdAt } from "../data/pipeline-search.ts"
import type { IconName } from "../ui/icon/icon.tsx"
import type { Scope } from "./keymap/scopes.ts"

export type Place = {
  readonly id:
    | "now"
    | "capture"
    | "map"
    | "knowledge"
    | "memory"
    | "decisions"
    | "sessions"
    | "pack"
    | "folds"
    | "guard"
    | "runs"
    | "pipelines"
    | "agents"
    | "events"
    | "settings"
  readonly href: string
  readonly label: string
  readonly icon: IconName
  readonly scope: Scope
  /** In which part of the sidebar it stands. */
  readonly part: "nav" | "see" | "know" | "choose" | "act" | "foot"
}

/** Every page there is, in the order of the sidebar; a room without a page has no link. */
export const PLACES: readonly Place[] = [
  { id: "now", href: paths.now(), label: "Now", icon: "now", scope: "now", part: "nav" },
  {
    id: "capture",
    href: paths.capture(),
    label: "Capture",
    icon: "capture",
    scope: "capture",
    part: "see",
  },
  { id: "map", href: paths.map(), label: "Map", icon: "map", scope: "map", part: "know" },
  {
    id: "knowledge",
    href: paths.knowledge(),
    label: "Knowledge",
    icon: "book",
    scope: "knowledge",
    part: "know",
  },
  {
    id: "memory",
    href: paths.memory(),
    label: "Memory",
    icon: "memory",
    scope: "memory",
    part: "know",
  },
  {
    id: "decisions",
    href: paths.decisions(),
    label: "Decisions",
    icon: "decision",
    scope: "decisions",
    part: "know",
  },
  {
    id: "sessions",
    href: paths.sessions(),
    label: "Sessions",
    icon: "pulse",
    scope: "sessions",
    part: "know",
  },
  { id: "pack", href: paths.pack(), label: "Pack", icon: "pack", scope: "pack", part: "choose" },
  {
    id: "folds",
    href: paths.folds(),
    label: "Folds",
    icon: "fork",
    scope: "folds",
    part: "choose",
  },
  {
    id: "guard",
    href: paths.guard(),
    label: "Guard",
    icon: "shield",
    scope: "guard",
    part: "choose",
  },
  { id: "runs", href: paths.runs(), label: "Runs", icon: "play", scope: "runs", part: "act" },
  {
    id: "pipelines",
    href: paths.pipelines(),
    label: "Pipelines",
    icon: "pipeline",
    scope: "pipelines",
    part: "act",
  },
  {
    id: "agents",
    href: paths.agents(),
    label: "Agents",
    icon: "agent",
    scope: "agents",
    part: "act",
  },
  {
    id: "events",
    href: paths.events(),
    label: "Events",
    icon: "events",
    scope: "events",
    part: "foot",
  },
  {
    id: "settings",
    href: paths.settings(),
    label: "Settings",
    icon: "settings",
    scope: "settings",
    part: "foot",
  },
]

/** Where an address leads; the page of one run belongs to its list and has keys of its own. */
export function placeAt(path: string): Place | undefined {
  if (runIdAt(path) !== undefined) return placeOf("runs", "run")
  if (gatewayIdAt(path) !== undefined) return placeOf("runs", "gateway")
  if (pipelineIdAt(path) !== undefined) return placeOf("pipelines", "pipeline")
  return PLACES.find((it) => it.href === path)
}

function placeOf(id: Place["id"], scope: Scope): Place | undefined {
  const place = PLACES.find((it) => it.id === id)
  return place === undefined ? undefined : { ...place, scope }
}
