import { toWireError } from "../../base/errors.ts"
import { formatAge, visibleLine } from "../../base/format.ts"
import { formatCost, PIPELINE_MARKS, PIPELINE_WORDS } from "../../base/status.ts"
import type { AgentFolder, AgentShow, ConfigProblem, PipelineLine } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { AGENTS_TABS, type AgentsTab, paths } from "../../data/paths.ts"
import { Button, LinkButton } from "../../ui/button/button.tsx"
import { Code } from "../../ui/code/code.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Row, RowNote, RowSkeleton, Rows } from "../../ui/list/list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Block, DetailHead, Flow, Pane, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Tabs } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"
import { StagesTab } from "./stages-tab.tsx"
import { useAgent, useTrust } from "./use-agents.ts"
import { stateOf } from "./words.ts"

type DetailProps = {
  readonly now: number
  readonly slug: string
  readonly tab: AgentsTab
  readonly isReadOnly: boolean
  onTab(tab: AgentsTab): void
  onClose(): void
}

export function Detail({ now, slug, tab, isReadOnly, onTab, onClose }: DetailProps) {
  const { data, error, isPending, refetch } = useAgent(slug)
  useKey("panel.right", onClose)
  useKey("agents.tab", () => onTab(nextTab(tab)))
  return (
    <Pane label="The agent">
      <DetailHead back="Back to the list" onClose={onClose}>
        <Text as="h2" strong cut>
          {visibleLine(data?.agent.name ?? slug)}
        </Text>
      </DetailHead>
      {error === null ? null : (
        <Failure size="pane" error={toWireError(error)} onRetry={() => void refetch()} />
      )}
      {isPending ? <RowSkeleton rows={8} /> : null}
      {data === undefined ? null : (
        <>
          <About agent={data.agent} isReadOnly={isReadOnly} />
          <Tabs
            tabs={[
              {
                id: "stages",
                label: "Stages",
                ...countOf(data),
                content: <StagesTab agent={data.agent} />,
              },
              {
                id: "prompts",
                label: "Prompts",
                note: String(data.prompts.length),
                content: <Prompts prompts={data.prompts} />,
              },
              {
                id: "runs",
                label: "Runs",
                note: String(data.runs.length),
                content: <AgentRuns now={now} runs={data.runs} slug={slug} />,
              },
            ]}
            active={tab}
            onChange={onTab}
          />
        </>
      )}
    </Pane>
  )
}

function nextTab(tab: AgentsTab): AgentsTab {
  return AGENTS_TABS[(AGENTS_TABS.indexOf(tab) + 1) % AGENTS_TABS.length] ?? "stages"
}

function countOf({ agent }: AgentShow): { note?: string } {
  return agent.config === null ? {} : { note: String(agent.config.stages.length) }
}

type AboutProps = { readonly agent: AgentFolder; readonly isReadOnly: boolean }

function About({ agent, isReadOnly }: AboutProps) {
  const isReady = stateOf(agent).label === "ready"
  const start = () => navigate(paths.pipelines({ add: true, start: agent.slug }))
  return (
    <>
      <Untrusted agent={agent} isReadOnly={isReadOnly} />
      <Problems problems={agent.problems} />
      <Block>
        <Stack gap="8">
          <Text as="p" wrap>
            {visibleLine(agent.description)}
          </Text>
          <Flow wrap>
            <Button
              variant="primary"
              small
              keyId="agents.start"
              disabled={isReadOnly || !isReady}
              onPress={start}
            >
              Start
            </Button>
            {isReady ? null : (
              <Text size="sm" tone="2">
                {agent.problems.length > 0
                  ? "Fix the problems of its folder before you start it."
                  : "Trust its folder before you start it."}
              </Text>
            )}
          </Flow>
        </Stack>
      </Block>
    </>
  )
}

function Untrusted({ agent, isReadOnly }: AboutProps) {
  const trust = useTrust()
  if (agent.isTrusted) return null
  return (
    <Notice
      tone="warn"
      description={`This folder is part of the repository. Read its stages and prompts, then trust its current content (${agent.digest.slice(0, 12)}). After a change of any file you must trust it again.`}
    >
      <Button
        small
        disabled={isReadOnly || trust.isPending || agent.config === null}
        onPress={() => trust.mutate(agent)}
      >
        Trust
      </Button>
    </Notice>
  )
}

function Problems({ problems }: { readonly problems: readonly ConfigProblem[] }) {
  if (problems.length === 0) return null
  return (
    <Block title="Problems" aside={String(problems.length)}>
      <Stack gap="8">
        {problems.map((it) => (
          <div key={`${it.file} ${it.line} ${it.field} ${it.problem}`}>
            <Text as="div" size="sm" tone="3" wrap mono>
              {formatLocation(it)}
            </Text>
            <Text as="div" tone="bad" wrap>
              {visibleLine(it.problem)}
            </Text>
          </div>
        ))}
      </Stack>
    </Block>
  )
}

/** config.json:42, stage verify, kind. */
export function formatLocation({ file, line, stage, field }: ConfigProblem): string {
  const parts = [`${file}:${line}`, stage === null ? "" : `stage ${stage}`, field]
  return visibleLine(parts.filter((it) => it !== "").join(", "))
}

function Prompts({ prompts }: Pick<AgentShow, "prompts">) {
  if (prompts.length === 0) return <RowNote>No prompts.</RowNote>
  return prompts.map(({ file, text }) => (
    <Block
      key={file}
      title={visibleLine(file)}
      aside={<CopyIcon text={text} label={`Copy ${visibleLine(file)}`} />}
    >
      <Code text={text} label={visibleLine(file)} />
    </Block>
  ))
}

const COLUMNS = {
  full: "14px minmax(0, 1fr) 72px",
  tight: "14px minmax(0, 1fr) 72px",
  narrow: "14px minmax(0, 1fr) 72px",
} as const

type AgentRunsProps = {
  readonly now: number
  readonly slug: string
  readonly runs: readonly PipelineLine[]
}

function AgentRuns({ now, slug, runs }: AgentRunsProps) {
  if (runs.length === 0) return <RowNote>No runs yet.</RowNote>
  return (
    <>
      <Rows columns={COLUMNS}>
        {runs.map((it) => (
          <Row key={it.id} lines={2} href={paths.pipeline(it.id)}>
            <StatusMark status={PIPELINE_MARKS[it.status]} />
            <Stack>
              <Text as="div" cut title={visibleLine(it.title)}>
                {visibleLine(it.title)}
              </Text>
              <Text as="div" size="sm" tone="2" cut>
                {[it.id, PIPELINE_WORDS[it.status], formatCost(it.cost)].join(", ")}
              </Text>
            </Stack>
            <Text as="div" size="sm" tone="3" align="end" cut>
              {formatAge(it.createdAt, now)}
            </Text>
          </Row>
        ))}
      </Rows>
      <RowNote>
        <LinkButton variant="ghost" small href={paths.pipelines({ agent: slug })}>
          All runs of {slug}
        </LinkButton>
      </RowNote>
    </>
  )
}
