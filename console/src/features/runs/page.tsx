import { useState } from "react"
import { formatShown } from "../../base/format.ts"
import { formatExact } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import type { PageProps } from "../../data/params.ts"
import { paths, type RunsParams, type RunsView } from "../../data/paths.ts"
import { shownStatus } from "../../data/paused-sessions.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { useOrganising } from "../../data/run-organisation.ts"
import { Button } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { recall } from "../../ui/remember.ts"
import { Split } from "../../ui/split/split.tsx"
import { Text } from "../../ui/text/text.tsx"
import { ActionMenu } from "./actions.tsx"
import { InboxDetail, InboxPane } from "./inbox.tsx"
import { LaunchForm } from "./launch/launch.tsx"
import { emptyDraft } from "./launch/launch-draft.ts"
import { PermissionsPane } from "./launch/permissions.tsx"
import { workflowsOf } from "./lines.ts"
import { ListPane } from "./list-pane.tsx"
import { Peek } from "./peek.tsx"
import { useActions } from "./use-actions.ts"
import { type RunsData, useRuns } from "./use-runs.ts"

type RunsPageProps = PageProps<RunsParams>

const TITLES: Readonly<Record<RunsView, string>> = {
  list: "Runs",
  approvals: "Approvals",
  permissions: "Permissions",
}

const NEXT: Readonly<Record<RunsView, RunsView>> = {
  list: "approvals",
  approvals: "permissions",
  permissions: "list",
}

export function RunsPage({ now, params, onParams }: RunsPageProps) {
  const data = useRuns(params, now)
  const actions = useActions()
  const organising = useOrganising()
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const isReadOnly = useReadOnly()
  const { view } = params
  const turn = (to: RunsView) => onParams({ ...CLOSED, view: to, at: "" })
  useKey("runs.view", () => turn(NEXT[view]))
  const chosen = data.all.filter((it) =>
    picked.size > 0 ? picked.has(it.id) : it.id === params.at,
  )
  return (
    <>
      <Header
        title={TITLES[view]}
        {...(view === "list" ? {} : { parent: { label: "Runs", href: paths.runs() } })}
        facts={<Text tone="3">{describeRuns(view, data)}</Text>}
      >
        {view === "list" ? (
          <OnlyWide>
            <ActionMenu
              runs={chosen}
              workflows={workflowsOf(organising, data.all)}
              actions={actions}
              isReadOnly={isReadOnly}
              onDone={() => setPicked(new Set())}
            />
          </OnlyWide>
        ) : null}
        <ViewButtons view={view} open={data.approvals?.length} onTurn={turn} />
        <Button
          variant="primary"
          icon="plus"
          keyId="runs.new"
          shrinks
          onPress={() => onParams(params.beside === "new" ? CLOSED : { beside: "new" })}
        >
          New run
        </Button>
      </Header>
      <Panes
        now={now}
        data={data}
        params={params}
        picked={picked}
        isReadOnly={isReadOnly}
        onPick={(id) => setPicked(toggled(picked, id))}
        onParams={onParams}
        onStop={(run) => actions.stop([run])}
      />
    </>
  )
}

type ViewButtonsProps = {
  readonly view: RunsView
  readonly open: number | undefined
  onTurn(to: RunsView): void
}

function ViewButtons({ view, open = 0, onTurn }: ViewButtonsProps) {
  const toggle = (to: RunsView) => onTurn(view === to ? "list" : to)
  return (
    <>
      <Button
        variant="ghost"
        icon="ask"
        shrinks
        pressed={view === "approvals"}
        onPress={() => toggle("approvals")}
      >
        {open === 0 ? "Approvals" : `Approvals ${formatExact(open)}`}
      </Button>
      <Button
        variant="ghost"
        icon="lock"
        shrinks
        pressed={view === "permissions"}
        onPress={() => toggle("permissions")}
      >
        Permissions
      </Button>
    </>
  )
}

type PanesProps = RunsPageProps & {
  readonly data: RunsData
  readonly picked: ReadonlySet<string>
  readonly isReadOnly: boolean
  onPick(id: string): void
  onStop(run: RunsData["all"][number]): void
}

function Panes(props: PanesProps) {
  const { params, isReadOnly } = props
  const [draft, setDraft] = useDraft(params)
  const form = (
    <LaunchForm
      draft={draft}
      onDraft={setDraft}
      onStarted={(run) => navigate(paths.run(run.id))}
      onClose={() => props.onParams(CLOSED, "replace")}
    />
  )
  const panes = {
    list: () => ({ list: <ListPane {...props} />, detail: peekOf(props) }),
    approvals: () => ({
      list: <InboxPane {...props} />,
      detail: params.at === "" ? null : <InboxDetail {...props} />,
    }),
    permissions: () => ({ list: <PermissionsPane isReadOnly={isReadOnly} />, detail: null }),
  }[params.view]()
  return (
    <Split name="runs" list={panes.list} detail={params.beside === "new" ? form : panes.detail} />
  )
}

/** Without the initial form values: they are in the draft. */
const CLOSED: Partial<RunsParams> = {
  beside: null,
  prompt: "",
  pack: "",
  agent: "",
  dir: "",
  resume: "",
}

function useDraft({ prompt, pack, agent, dir, resume }: RunsParams) {
  const remembered = { type: recall("launch.agent"), mode: recall("launch.mode") }
  const prefill = { prompt, pack, agent, cwd: dir, resume }
  const [draft, setDraft] = useState(() => emptyDraft(remembered, prefill))
  const inUrl = Object.values(prefill).join("\0")
  const [fromUrl, setTaken] = useState(inUrl)
  if (fromUrl !== inUrl) {
    setTaken(inUrl)
    // The agent and the folder belong to the session that is continued.
    if (resume !== draft.resume) setDraft(emptyDraft(remembered, prefill))
    else if (prompt !== "" || pack !== "") setDraft({ ...draft, prompt, pack })
  }
  return [draft, setDraft] as const
}

function peekOf({ data, params, now, isReadOnly, onParams, onStop }: PanesProps) {
  const run = data.all.find((it) => it.id === params.at)
  if (params.beside !== "peek" || run === undefined) return null
  return (
    <Peek
      key={run.id}
      run={run}
      status={shownStatus(run, data.paused)}
      approvals={(data.approvals ?? []).filter((it) => it.runId === run.id)}
      now={now}
      isReadOnly={isReadOnly}
      onStop={() => onStop(run)}
      onClose={() => onParams({ beside: null }, "replace")}
    />
  )
}

function describeRuns(view: RunsView, { list, approvals, lines, total }: RunsData): string {
  if (view === "approvals") return approvals === undefined ? "" : `${approvals.length} open`
  if (view === "permissions" || list.data === undefined) return ""
  const shown = lines.filter((it) => it.kind === "run").length
  return formatShown({ shown, all: total ?? shown }, "run")
}

function toggled(picked: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(picked)
  if (!next.delete(id)) next.add(id)
  return next
}
