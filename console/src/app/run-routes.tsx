import { gatewayIdAt, parseGateway } from "../data/gateway-search.ts"
import { navigate } from "../data/location.ts"
import { parseRun, parseRuns, paths, runIdAt } from "../data/paths.ts"
import { loadLater } from "./load-later.tsx"

const RunsPage = loadLater(async () => (await import("../features/runs/page.tsx")).RunsPage)
const RunPage = loadLater(async () => {
  const reader = import("../ui/markdown/markdown.tsx").then((it) => it.loadMarkdown())
  const page = await import("../features/run/page.tsx")
  await reader
  return page.RunPage
})
const GatewayPage = loadLater(
  async () => (await import("../features/gateway/page.tsx")).GatewayPage,
)

type RunPageProps = {
  readonly now: number
  readonly areFactsHidden: boolean
  onToggleFacts(): void
}

/** The list of runs, the page of one, and what one said over the wire. */
export function runPageFor(path: string, search: string, props: RunPageProps) {
  const wireId = gatewayIdAt(path)
  if (wireId !== undefined) return gatewayPage(wireId, search, props)
  const id = runIdAt(path)
  return id === undefined ? runsPage(search, props) : runPage(id, search, props)
}

function runsPage(search: string, { now }: RunPageProps) {
  const values = parseRuns(search)
  return (
    <RunsPage
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.runs({ ...values, ...change }), how)}
    />
  )
}

function runPage(id: string, search: string, props: RunPageProps) {
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

function gatewayPage(id: string, search: string, { now }: RunPageProps) {
  const values = parseGateway(search)
  return (
    <GatewayPage
      key={id}
      id={id}
      now={now}
      search={values}
      onSearch={(change, how) => navigate(paths.gateway(id, { ...values, ...change }), how)}
    />
  )
}
