import {
  Component,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from "react"
import { hasCode, toWireError } from "../base/errors.ts"
import { isOpen } from "../base/status.ts"
import type { Now } from "../contract.ts"
import type { Clock } from "../data/clock.ts"
import { followLinks, navigate, useLocation } from "../data/location.ts"
import { paths } from "../data/paths.ts"
import { NEWEST_PIPELINES } from "../data/paused-sessions.ts"
import { useOperation, useSession } from "../data/queries.tsx"
import { useWaitingCount } from "../data/today.ts"
import { Failure } from "../ui/failure/failure.tsx"
import {
  FindButton,
  Frame,
  Header,
  Nav,
  NavFoot,
  NavHeading,
  NavLink,
  TabTitleContext,
} from "../ui/frame/frame.tsx"
import { KeysContext, useKey } from "../ui/keys/keys.tsx"
import { recall, remember, useRecalled } from "../ui/remember.ts"
import { ToastProvider, useToast } from "../ui/toast/toast.tsx"
import { useKeymap } from "./keymap/use-keymap.ts"
import type { LiveConnection } from "./live.ts"
import { loadLater, PART_NOT_LOADED, reloadOnceServed } from "./load-later.tsx"
import { PLACES, type NavPage as PlaceOnMap, placeAt } from "./places.ts"
import { RepositorySwitcher } from "./repository-switcher.tsx"
import { Page } from "./routes.tsx"
import { StatusBar, useNow } from "./status-bar.tsx"
import { type Appearance, useAppearance } from "./theme/appearance.ts"

const loadPalette = () => import("./palette/palette.tsx")
const Palette = loadLater(async () => (await loadPalette()).Palette)
const Attention = loadLater(async () => (await import("./attention.tsx")).Attention)
const HelpSheet = loadLater(async () => (await import("./keymap/help-sheet.tsx")).HelpSheet)

const SIGNS_OF_A_PERSON = ["pointermove", "pointerdown", "keydown"] as const

type ShellProps = { readonly live: LiveConnection; readonly clock: Clock }

type Layer =
  | { readonly kind: "none" }
  | { readonly kind: "help" }
  | { readonly kind: "palette"; readonly query: string }

const NO_LAYER: Layer = { kind: "none" }

export function Shell({ live, clock }: ShellProps) {
  const { path } = useLocation()
  const appearance = useAppearance()
  const bindings = useKeymap(placeAt(path)?.scope ?? "everywhere", clock)
  useEffect(() => followLinks(document.body), [])
  // Preloads the palette on the first user input, so that it opens within 100 ms. If that fails,
  // opening it reports the error.
  useEffect(() => {
    const load = () => void loadPalette().catch(() => undefined)
    for (const it of SIGNS_OF_A_PERSON) window.addEventListener(it, load, { once: true })
    return () => {
      for (const it of SIGNS_OF_A_PERSON) window.removeEventListener(it, load)
    }
  }, [])
  return (
    <KeysContext value={bindings}>
      <ToastProvider>
        <Rooms live={live} clock={clock} appearance={appearance} />
      </ToastProvider>
    </KeysContext>
  )
}

function Rooms({ live, clock, appearance }: ShellProps & { readonly appearance: Appearance }) {
  const { path } = useLocation()
  const { data: session } = useSession()
  const { data: report } = useOperation("now.show", {})
  const countOf = useCounts(report)
  const [layer, setLayer] = useState(NO_LAYER)
  const side = useRemembered("side")
  const facts = useRemembered("facts")
  const now = useNow(clock, 30_000)
  const close = useCallback(() => setLayer(NO_LAYER), [])
  const toast = useToast()
  const fail = (error: unknown) => {
    close()
    toast.fail(toWireError(error))
  }
  const ask = useCallback((query: string) => setLayer({ kind: "palette", query }), [])
  useKey("palette.open", () => ask(""))
  useKey("help.open", () => setLayer({ kind: "help" }))
  useKey("panel.left", side.toggle)
  useGoKeys()
  const hasAttention = [useRecalled("notifications"), useRecalled("wake-lock")].includes("on")
  const waiting = useWaitingCount()
  const tabTitle = useMemo(
    () => ({
      before: waiting === 0 ? "" : `(${waiting}) `,
      after: session?.repository.name ?? "Quartermaster",
    }),
    [waiting, session?.repository.name],
  )

  const places = (part: PlaceOnMap["part"]) =>
    PLACES.filter((it) => it.part === part).map((it) => (
      <NavLink
        key={it.id}
        href={it.href}
        icon={it.icon}
        label={it.label}
        isCurrent={it.id === placeAt(path)?.id}
        {...countOf(it.id)}
      />
    ))
  return (
    <Frame
      isSideHidden={side.isHidden}
      side={
        <>
          <RepositorySwitcher name={session?.repository.name ?? "Quartermaster"} />
          <FindButton onPress={() => ask("")} />
          <Nav>
            {places("nav")}
            <NavHeading>See</NavHeading>
            {places("see")}
            <NavHeading>Know</NavHeading>
            {places("know")}
            <NavHeading>Choose</NavHeading>
            {places("choose")}
            <NavHeading>Act</NavHeading>
            {places("act")}
          </Nav>
          <NavFoot>{places("foot")}</NavFoot>
        </>
      }
      status={<StatusBar live={live} clock={clock} look={appearance.look} onAsk={ask} />}
    >
      <PageBoundary key={path}>
        <TabTitleContext value={tabTitle}>
          <Page
            now={now}
            appearance={appearance}
            areFactsHidden={facts.isHidden}
            onToggleFacts={facts.toggle}
          />
        </TabTitleContext>
      </PageBoundary>
      {hasAttention ? (
        <LayerBoundary onFailure={fail}>
          <Suspense fallback={null}>
            <Attention report={report} />
          </Suspense>
        </LayerBoundary>
      ) : null}
      <LayerBoundary key={layer.kind} onFailure={fail}>
        <Suspense fallback={null}>
          {layer.kind === "palette" ? (
            <Palette
              initialQuery={layer.query}
              place={placeAt(path)}
              appearance={appearance}
              isReadOnly={session?.readOnly === true}
              onClose={close}
            />
          ) : null}
          {layer.kind === "help" ? (
            <HelpSheet scope={placeAt(path)?.scope ?? "everywhere"} onClose={close} />
          ) : null}
        </Suspense>
      </LayerBoundary>
    </Frame>
  )
}

function useGoKeys(): void {
  useKey("go.now", () => navigate(hrefOf("now")))
  useKey("go.capture", () => navigate(hrefOf("capture")))
  useKey("go.map", () => navigate(hrefOf("map")))
  useKey("go.knowledge", () => navigate(hrefOf("knowledge")))
  useKey("go.memory", () => navigate(hrefOf("memory")))
  useKey("go.decisions", () => navigate(paths.memory({ kind: "decision" })))
  useKey("go.sessions", () => navigate(hrefOf("sessions")))
  useKey("go.cost", () => navigate(hrefOf("cost")))
  useKey("go.guard", () => navigate(hrefOf("guard")))
  useKey("go.pack", () => navigate(hrefOf("pack")))
  useKey("go.folds", () => navigate(hrefOf("folds")))
  useKey("go.runs", () => navigate(hrefOf("runs")))
  useKey("go.board", () => navigate(hrefOf("board")))
  useKey("go.swarm", () => navigate(hrefOf("swarm")))
  useKey("go.pipelines", () => navigate(hrefOf("pipelines")))
  useKey("go.recipes", () => navigate(hrefOf("recipes")))
  useKey("go.skills", () => navigate(hrefOf("skills")))
  useKey("go.sources", () => navigate(hrefOf("sources")))
  useKey("go.events", () => navigate(hrefOf("events")))
  useKey("go.settings", () => navigate(hrefOf("settings")))
}

function hrefOf(id: string): string {
  return PLACES.find((it) => it.id === id)?.href ?? paths.now()
}

function useRemembered(name: string) {
  const [isHidden, setIsHidden] = useState(() => recall(`hidden.${name}`) === "yes")
  const toggle = () => {
    setIsHidden(!isHidden)
    remember(`hidden.${name}`, isHidden ? "no" : "yes")
  }
  return { isHidden, toggle }
}

type Props = { readonly children: ReactNode }
type State = { readonly error: unknown; readonly hasFailed: boolean }

/**
 * An error in a page leaves the shell intact. A class, because React has no hook for error
 * boundaries.
 */
class PageBoundary extends Component<Props, State> {
  override state: State = { error: undefined, hasFailed: false }

  static getDerivedStateFromError(error: unknown): State {
    return { error, hasFailed: true }
  }

  retry = (): void => {
    if (hasCode(this.state.error, PART_NOT_LOADED)) reloadOnceServed()
    else this.setState({ error: undefined, hasFailed: false })
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <>
        <Header title="Failure" />
        <Failure size="page" error={toWireError(this.state.error)} onRetry={this.retry} />
      </>
    )
  }
}

type LayerProps = Props & { onFailure(error: unknown): void }

class LayerBoundary extends Component<LayerProps, Pick<State, "hasFailed">> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): Pick<State, "hasFailed"> {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    this.props.onFailure(error)
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children
  }
}

type Count = { readonly count?: number; readonly tone?: "warn" }

function useCounts(report: Now | undefined): (id: PlaceOnMap["id"]) => Count {
  const pipelines = useOperation("pipeline.list", { limit: NEWEST_PIPELINES }).data?.runs ?? []
  const open = pipelines.filter((it) => isOpen(it.status))
  const recipes = useOperation("recipe.list", {}).data?.recipes.length ?? 0
  const documents = useOperation("kb.status", {}).data?.documents ?? 0
  const requests = useOperation("credential.requests", {}).data?.requests.length ?? 0
  const waiting = useWaitingCount()
  return (id) => {
    switch (id) {
      case "now":
        return counted(waiting, "warn")
      case "runs":
        return counted(report?.running.length ?? 0)
      case "pipelines":
        return open.some((it) => it.status === "paused")
          ? counted(open.length, "warn")
          : counted(open.length)
      case "sources":
        return counted(requests, "warn")
      case "recipes":
        return counted(recipes)
      case "knowledge":
        return counted(documents)
      default:
        return {}
    }
  }
}

function counted(count: number, tone?: "warn"): Count {
  if (count === 0) return {}
  return tone === undefined ? { count } : { count, tone }
}
