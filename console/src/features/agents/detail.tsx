import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import type { AgentFolder, AgentShow, ConfigProblem } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { AGENTS_TABS, type AgentsTab, paths } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { DetailHead } from "../../ui/pane/detail-head.tsx"
import { Block, Flow, Pane, Stack } from "../../ui/pane/pane.tsx"
import { Tabs } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Prompts } from "./prompts.tsx"
import { AgentRuns } from "./runs.tsx"
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
  const isReady = stateOf(agent).word === "ready"
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
              look="primary"
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
                  ? "It can be started once its folder has no problem."
                  : "It can be started once it is trusted."}
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
      says={`This folder came with the repository. Read its stages and prompts, then trust it as it is now (${agent.digest.slice(0, 12)}). A change of any file asks again.`}
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
              {sayWhere(it)}
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
export function sayWhere({ file, line, stage, field }: ConfigProblem): string {
  const parts = [`${file}:${line}`, stage === null ? "" : `stage ${stage}`, field]
  return visibleLine(parts.filter((it) => it !== "").join(", "))
}
