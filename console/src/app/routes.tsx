import { Suspense } from "react"
import { parseFold } from "../data/fold-search.ts"
import { navigate, useLocation } from "../data/location.ts"
import { parseMap } from "../data/map-search.ts"
import { parseMemory } from "../data/memory-search.ts"
import { parsePack } from "../data/pack-search.ts"
import {
  parseCapture,
  parseEvents,
  parseRun,
  parseRuns,
  parseSettings,
  paths,
  runIdAt,
} from "../data/paths.ts"
import type { IconName } from "../ui/icon/icon.tsx"
import type { Scope } from "./keymap/keymap.ts"
import { loadLater } from "./load-later.tsx"
import { NotFoundPage } from "./not-found.tsx"
import type { Appearance } from "./theme/appearance.ts"
import { appearanceChoice } from "./theme/appearance-choice.ts"

export type Place = {
  readonly id:
    | "now"
    | "capture"
    | "map"
    | "memory"
    | "pack"
    | "folds"
    | "runs"
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
    id: "memory",
    href: paths.memory(),
    label: "Memory",
    icon: "memory",
    scope: "memory",
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
  { id: "runs", href: paths.runs(), label: "Runs", icon: "play", scope: "runs", part: "act" },
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

/** Where an address leads; the page of one run belongs to Runs and has keys of its own. */
export function placeAt(path: string): Place | undefined {
  if (runIdAt(path) === undefined) return PLACES.find((it) => it.href === path)
  const runs = PLACES.find((it) => it.id === "runs")
  return runs === undefined ? undefined : { ...runs, scope: "run" }
}

const NowPage = loadLater(async () => (await import("../features/now/page.tsx")).NowPage)
const CapturePage = loadLater(
  async () => (await import("../features/capture/page.tsx")).CapturePage,
)
const MapPage = loadLater(async () => (await import("../features/map/page.tsx")).MapPage)
const MemoryPage = loadLater(async () => {
  const reader = import("../ui/markdown/markdown.tsx").then((it) => it.loadMarkdown())
  const page = await import("../features/memory/page.tsx")
  await reader
  return page.MemoryPage
})
const FoldPage = loadLater(async () => {
  const reader = import("../ui/markdown/markdown.tsx").then((it) => it.loadMarkdown())
  const page = await import("../features/fold/page.tsx")
  await reader
  return page.FoldPage
})
const PackPage = loadLater(async () => (await import("../features/pack/page.tsx")).PackPage)
const RunsPage = loadLater(async () => (await import("../features/runs/page.tsx")).RunsPage)
const RunPage = loadLater(async () => {
  const reader = import("../ui/markdown/markdown.tsx").then((it) => it.loadMarkdown())
  const page = await import("../features/run/page.tsx")
  await reader
  return page.RunPage
})
const EventsPage = loadLater(async () => (await import("../features/events/page.tsx")).EventsPage)
const SettingsPage = loadLater(
  async () => (await import("../features/settings/page.tsx")).SettingsPage,
)

type PageProps = {
  readonly now: number
  readonly appearance: Appearance
  readonly areFactsHidden: boolean
  onToggleFacts(): void
}

/** Params in, page out. */
export function Page(props: PageProps) {
  const { path, search } = useLocation()
  return <Suspense fallback={null}>{pageFor(path, search, props)}</Suspense>
}

function pageFor(path: string, search: string, props: PageProps) {
  const { now, appearance, areFactsHidden, onToggleFacts } = props
  switch (placeAt(path)?.id) {
    case "now":
      return <NowPage now={now} areFactsHidden={areFactsHidden} onToggleFacts={onToggleFacts} />
    case "capture": {
      const values = parseCapture(search)
      return (
        <CapturePage
          now={now}
          search={values}
          onSearch={(change, how) => navigate(paths.capture({ ...values, ...change }), how)}
        />
      )
    }
    case "map":
      return mapPage(search, props)
    case "pack":
      return packPage(search, props)
    case "memory":
      return memoryPage(search, props)
    case "folds":
      return foldPage(search, props)
    case "runs": {
      const id = runIdAt(path)
      return id === undefined ? runsPage(search, props) : runPage(id, search, props)
    }
    case "events": {
      const values = parseEvents(search)
      return (
        <EventsPage
          now={now}
          search={values}
          onSearch={(change, how) => navigate(paths.events({ ...values, ...change }), how)}
        />
      )
    }
    case "settings": {
      const values = parseSettings(search)
      return (
        <SettingsPage
          search={values}
          onSearch={(change, how) => navigate(paths.settings({ ...values, ...change }), how)}
          appearance={appearanceChoice(appearance)}
        />
      )
    }
    case undefined:
      return <NotFoundPage path={path} />
  }
}

function mapPage(search: string, { now }: PageProps) {
  const values = parseMap(search)
  return (
    <MapPage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.map({ ...values, ...change }), how)}
    />
  )
}

function packPage(search: string, { now }: PageProps) {
  const values = parsePack(search)
  return (
    <PackPage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.pack({ ...values, ...change }), how)}
    />
  )
}

function memoryPage(search: string, { now }: PageProps) {
  const values = parseMemory(search)
  return (
    <MemoryPage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.memory({ ...values, ...change }), how)}
    />
  )
}

function foldPage(search: string, { now }: PageProps) {
  const values = parseFold(search)
  return (
    <FoldPage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.folds({ ...values, ...change }), how)}
    />
  )
}

function runsPage(search: string, { now }: PageProps) {
  const values = parseRuns(search)
  return (
    <RunsPage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.runs({ ...values, ...change }), how)}
    />
  )
}

function runPage(id: string, search: string, props: PageProps) {
  const { now, areFactsHidden, onToggleFacts } = props
  const values = parseRun(search)
  return (
    <RunPage
      key={id}
      id={id}
      now={now}
      search={values}
      isDrawerHidden={areFactsHidden}
      onToggleDrawer={onToggleFacts}
      onSearch={(change, how) => navigate(paths.run(id, { ...values, ...change }), how)}
    />
  )
}
