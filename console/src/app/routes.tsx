import { type ComponentType, type ReactNode, Suspense } from "react"
import { navigate, useLocation } from "../data/location.ts"
import type { PageProps, ParamsCodec } from "../data/params.ts"
import {
  boardParams,
  captureParams,
  costParams,
  eventsParams,
  foldParams,
  gatewayIdAt,
  gatewayParams,
  guardParams,
  knowledgeParams,
  mapParams,
  memoryParams,
  packParams,
  paths,
  pipelineIdAt,
  pipelineParams,
  pipelinesParams,
  recipesParams,
  runIdAt,
  runParams,
  runsParams,
  sessionIdAt,
  sessionParams,
  sessionsParams,
  settingsParams,
  skillsParams,
  sourcesParams,
  swarmParams,
  ticketIdAt,
  ticketParams,
} from "../data/paths.ts"
import { LinkButton } from "../ui/button/button.tsx"
import { Failure } from "../ui/failure/failure.tsx"
import { Header } from "../ui/frame/frame.tsx"
import { loadLater } from "./load-later.tsx"
import { type PageScope, placeAt } from "./places.ts"
import type { Appearance } from "./theme/appearance.ts"

type FrameProps = {
  readonly now: number
  readonly areFactsHidden: boolean
  onToggleFacts(): void
}

type RouteProps = FrameProps & { readonly appearance: Appearance }

type Location = { readonly path: string; readonly search: string }

export function Page(props: RouteProps) {
  const location = useLocation()
  const scope = placeAt(location.path)?.scope
  return (
    <Suspense fallback={null}>
      {scope === undefined ? <NotFound path={location.path} /> : ROUTES[scope](location, props)}
    </Suspense>
  )
}

const NowPage = loadLater(async () => (await import("../features/now/page.tsx")).NowPage)
const Settings = loadLater(async () => (await import("./settings-route.tsx")).Settings)

const ROUTES: Readonly<Record<PageScope, (at: Location, props: RouteProps) => ReactNode>> = {
  now: (_, { appearance: _unused, ...props }) => <NowPage {...props} />,
  capture: page(
    captureParams,
    async () => (await import("../features/capture/page.tsx")).CapturePage,
  ),
  map: page(mapParams, async () => (await import("../features/map/page.tsx")).MapPage),
  knowledge: page(
    knowledgeParams,
    withMarkdown(async () => (await import("../features/knowledge/page.tsx")).KnowledgePage),
  ),
  memory: page(
    memoryParams,
    withMarkdown(async () => (await import("../features/memory/page.tsx")).MemoryPage),
  ),
  sessions: page(
    sessionsParams,
    withMarkdown(async () => (await import("../features/sessions/page.tsx")).SessionsPage),
  ),
  session: page(
    sessionParams,
    async () => (await import("../features/session/page.tsx")).SessionPage,
    sessionIdAt,
  ),
  cost: page(costParams, async () => (await import("../features/cost/page.tsx")).CostPage),
  pack: page(packParams, async () => (await import("../features/pack/page.tsx")).PackPage),
  folds: page(
    foldParams,
    withMarkdown(async () => (await import("../features/fold/page.tsx")).FoldPage),
  ),
  guard: page(guardParams, async () => (await import("../features/guard/page.tsx")).GuardPage),
  runs: page(runsParams, async () => (await import("../features/runs/page.tsx")).RunsPage),
  run: page(
    runParams,
    withMarkdown(async () => (await import("../features/run/page.tsx")).RunPage),
    runIdAt,
  ),
  gateway: page(
    gatewayParams,
    async () => (await import("../features/gateway/page.tsx")).GatewayPage,
    gatewayIdAt,
  ),
  board: page(
    boardParams,
    withMarkdown(async () => (await import("../features/board/page.tsx")).BoardPage),
  ),
  ticket: page(
    ticketParams,
    withMarkdown(async () => (await import("../features/board/ticket-page.tsx")).TicketPage),
    ticketIdAt,
  ),
  swarm: page(swarmParams, async () => (await import("../features/swarm/page.tsx")).SwarmPage),
  pipelines: page(
    pipelinesParams,
    async () => (await import("../features/pipelines/page.tsx")).PipelinesPage,
  ),
  pipeline: page(
    pipelineParams,
    withMarkdown(async () => (await import("../features/pipeline/page.tsx")).PipelinePage),
    pipelineIdAt,
  ),
  skills: page(skillsParams, async () => (await import("../features/skills/page.tsx")).SkillsPage),
  recipes: page(
    recipesParams,
    async () => (await import("../features/recipes/page.tsx")).RecipesPage,
  ),
  sources: page(
    sourcesParams,
    async () => (await import("../features/sources/page.tsx")).SourcesPage,
  ),
  events: page(eventsParams, async () => (await import("../features/events/page.tsx")).EventsPage),
  settings: (at, { now, appearance }) => (
    <Settings now={now} appearance={appearance} {...paramsAt(settingsParams, at)} />
  ),
}

function page<Params>(
  codec: ParamsCodec<Params>,
  load: () => Promise<ComponentType<PageProps<Params> & FrameProps & { readonly id: string }>>,
  idAt?: (path: string) => string | undefined,
) {
  const LoadedPage = loadLater(load)
  return (at: Location, { now, areFactsHidden, onToggleFacts }: RouteProps) => {
    const id = idAt?.(at.path) ?? ""
    const props = { now, id, areFactsHidden, onToggleFacts, ...paramsAt(codec, at) }
    return <LoadedPage key={id} {...props} />
  }
}

function paramsAt<Params>(codec: ParamsCodec<Params>, { path, search }: Location) {
  const params = codec.parse(search)
  return {
    params,
    onParams: (change: Partial<Params>, how?: "push" | "replace") =>
      navigate(`${path}${codec.format({ ...params, ...change })}`, how),
  }
}

function withMarkdown<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  return async () => {
    const reader = import("../ui/markdown/markdown.tsx").then((it) => it.loadMarkdown())
    const loaded = await load()
    await reader
    return loaded
  }
}

function NotFound({ path }: { readonly path: string }) {
  return (
    <>
      <Header title="Not found" />
      <Failure
        size="page"
        error={{
          code: "CONSOLE_PAGE_NOT_FOUND",
          message: "Page not found",
          hint: `${path} is not a page of this version. Go to Now instead.`,
          data: { path },
        }}
      >
        <LinkButton href={paths.now()} variant="primary">
          Go to Now
        </LinkButton>
      </Failure>
    </>
  )
}
