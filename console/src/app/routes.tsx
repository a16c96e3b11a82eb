import { Suspense } from "react"
import { parseAgents } from "../data/agents-search.ts"
import { parseDecisions } from "../data/decisions-search.ts"
import { parseFold } from "../data/fold-search.ts"
import { parseGuard } from "../data/guard-search.ts"
import { parseKnowledge } from "../data/knowledge-search.ts"
import { navigate, useLocation } from "../data/location.ts"
import { parseMap } from "../data/map-search.ts"
import { parseMemory } from "../data/memory-search.ts"
import { parsePack } from "../data/pack-search.ts"
import { parseCapture, parseEvents, parseSettings, paths } from "../data/paths.ts"
import { parsePipeline, pipelineIdAt } from "../data/pipeline-search.ts"
import { parsePipelines } from "../data/pipelines-search.ts"
import { parseSessions } from "../data/sessions-search.ts"
import { loadLater } from "./load-later.tsx"
import { NotFoundPage } from "./not-found.tsx"
import { type Place, placeAt } from "./places.ts"
import { runPageFor } from "./run-routes.tsx"
import type { Appearance } from "./theme/appearance.ts"
import { appearanceChoice } from "./theme/appearance-choice.ts"

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
const DecisionsPage = loadLater(async () => {
  const reader = import("../ui/markdown/markdown.tsx").then((it) => it.loadMarkdown())
  const page = await import("../features/decisions/page.tsx")
  await reader
  return page.DecisionsPage
})
const SessionsPage = loadLater(async () => {
  const reader = import("../ui/markdown/markdown.tsx").then((it) => it.loadMarkdown())
  const page = await import("../features/sessions/page.tsx")
  await reader
  return page.SessionsPage
})
const GuardPage = loadLater(async () => (await import("../features/guard/page.tsx")).GuardPage)
const FoldPage = loadLater(async () => {
  const reader = import("../ui/markdown/markdown.tsx").then((it) => it.loadMarkdown())
  const page = await import("../features/fold/page.tsx")
  await reader
  return page.FoldPage
})
const PackPage = loadLater(async () => (await import("../features/pack/page.tsx")).PackPage)
const PipelinesPage = loadLater(
  async () => (await import("../features/pipelines/page.tsx")).PipelinesPage,
)
const PipelinePage = loadLater(async () => {
  const reader = import("../ui/markdown/markdown.tsx").then((it) => it.loadMarkdown())
  const page = await import("../features/pipeline/page.tsx")
  await reader
  return page.PipelinePage
})
const AgentsPage = loadLater(async () => (await import("../features/agents/page.tsx")).AgentsPage)
const KnowledgePage = loadLater(async () => {
  const reader = import("../ui/markdown/markdown.tsx").then((it) => it.loadMarkdown())
  const page = await import("../features/knowledge/page.tsx")
  await reader
  return page.KnowledgePage
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
    case "decisions":
    case "sessions":
    case "guard":
      return kitPage(placeAt(path)?.id, search, props)
    case "knowledge":
      return knowledgePage(search, props)
    case "pipelines": {
      const id = pipelineIdAt(path)
      return id === undefined ? pipelinesPage(search, props) : pipelinePage(id, search, props)
    }
    case "agents":
      return agentsPage(search, props)
    case "runs":
      return runPageFor(path, search, props)
    case "events":
      return eventsPage(search, props)
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

function eventsPage(search: string, { now }: PageProps) {
  const values = parseEvents(search)
  return (
    <EventsPage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.events({ ...values, ...change }), how)}
    />
  )
}

function knowledgePage(search: string, { now }: PageProps) {
  const values = parseKnowledge(search)
  return (
    <KnowledgePage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.knowledge({ ...values, ...change }), how)}
    />
  )
}

function agentsPage(search: string, { now }: PageProps) {
  const values = parseAgents(search)
  return (
    <AgentsPage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.agents({ ...values, ...change }), how)}
    />
  )
}

function pipelinesPage(search: string, { now }: PageProps) {
  const values = parsePipelines(search)
  return (
    <PipelinesPage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.pipelines({ ...values, ...change }), how)}
    />
  )
}

function pipelinePage(id: string, search: string, props: PageProps) {
  const { now, areFactsHidden, onToggleFacts } = props
  const values = parsePipeline(search)
  return (
    <PipelinePage
      key={id}
      id={id}
      now={now}
      search={values}
      areFactsHidden={areFactsHidden}
      onToggleFacts={onToggleFacts}
      onSearch={(change, how) => navigate(paths.pipeline(id, { ...values, ...change }), how)}
    />
  )
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

function kitPage(id: Place["id"] | undefined, search: string, { now }: PageProps) {
  if (id === "decisions") {
    const values = parseDecisions(search)
    return (
      <DecisionsPage
        now={now}
        search={values}
        onSearch={(change, how) => navigate(paths.decisions({ ...values, ...change }), how)}
      />
    )
  }
  if (id === "sessions") {
    const values = parseSessions(search)
    return (
      <SessionsPage
        now={now}
        search={values}
        onSearch={(change, how) => navigate(paths.sessions({ ...values, ...change }), how)}
      />
    )
  }
  const values = parseGuard(search)
  return (
    <GuardPage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.guard({ ...values, ...change }), how)}
    />
  )
}
