import { formatUsd } from "#ground/base/format"
import { asRecord } from "#ground/base/object"
import { formatMoment, formatRound, formatWhen, visibleLine } from "../../base/format.ts"
import { KINDS } from "../../base/kinds.ts"
import { formatCost } from "../../base/status.ts"
import {
  type ContextKind,
  formatCount,
  formatExact,
  type PipelineEvent,
  type PipelineRun,
  plural,
} from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { BudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { BudgetLines } from "../../ui/budget-lines/budget-lines.tsx"
import { IconButton } from "../../ui/button/button.tsx"
import { Block, Pane, PaneHead, PaneScroll, Value, Values } from "../../ui/pane/pane.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { formatSpent, join, type RunStarted, spendOf, startOf } from "./words.ts"

type FactsProps = {
  readonly run: PipelineRun
  readonly events: readonly PipelineEvent[]
  readonly now: number
  onClose(): void
}

export function Facts({ run, events, now, onClose }: FactsProps) {
  const start = startOf(events)
  const { cost } = run
  const budget = cost.budgetUsd === null ? "" : formatUsd(cost.budgetUsd)
  return (
    <Pane label="Cost and details" ground="canvas">
      <PaneHead actions={<IconButton small icon="close" label="Close" onPress={onClose} />}>
        <b>Cost</b>
        <Text tone="3">
          {formatCost(cost)}
          {budget === "" ? "" : ` of ${budget}`}
        </Text>
      </PaneHead>
      <PaneScroll>
        <Block>
          <BudgetLines
            lines={spendOf(run)}
            total={{
              name: "Run",
              spent: formatSpent(cost) || formatUsd(0),
              budget,
            }}
          />
        </Block>
        <Context run={run} events={events} start={start} />
        <About run={run} start={start} now={now} />
      </PaneScroll>
    </Pane>
  )
}

type ContextProps = Pick<FactsProps, "run" | "events"> & { readonly start: RunStarted | undefined }

function Context({ run, events, start }: ContextProps) {
  const context = contextOf(events, start)
  if (context === undefined) return null
  const { stage, tokens, total, budget } = context
  const title = run.stages[stage]?.title ?? ""
  const of = budget === null ? "" : ` of ${formatRound(budget)}`
  return (
    <Block
      title={stage === run.stage ? "Context of this stage" : `Context of ${visibleLine(title)}`}
      aside={`${formatCount(total)}${of}`}
    >
      <BudgetBar tokens={tokens} {...(budget === null ? {} : { budget })} />
    </Block>
  )
}

type AboutProps = Pick<FactsProps, "run" | "now"> & { readonly start: RunStarted | undefined }

function About({ run, start, now }: AboutProps) {
  const { provider, connections = {}, createdAt, prior, from, session, lastSeq, usage } = run
  const tokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite
  const sources = sourcesOf(start)
  return (
    <Block title="Run">
      <Values>
        <Value name="Depth" wrap>
          {describeDepth(run, start)}
        </Value>
        <Value name="Started" title={formatMoment(createdAt)}>
          {formatWhen(createdAt, now)}
        </Value>
        <Value name="Model">{visibleLine(provider)}</Value>
        {Object.entries(connections).map(([name, it]) => (
          <Value key={name} name={visibleLine(name)}>
            {visibleLine(`${it.provider} ${it.model}`)}
          </Value>
        ))}
        {tokens === 0 ? null : <Value name="Tokens">{formatExact(tokens)}</Value>}
        {sources === "" ? null : (
          <Value name="Sources" wrap>
            {sources}
          </Value>
        )}
        {prior === null ? null : (
          <Value name="Prior research">
            <PlaceLink href={paths.pipeline(prior)}>{prior}</PlaceLink>
          </Value>
        )}
        {from === null ? null : (
          <Value name="Re-run of">
            <PlaceLink href={paths.pipeline(from.run)}>{from.run}</PlaceLink>, from stage{" "}
            {from.stage + 1}
          </Value>
        )}
        {session === null ? null : (
          <Value name="Session">
            <PlaceLink href={paths.run(session)}>{visibleLine(session)}</PlaceLink>
          </Value>
        )}
        <Value name="Autosave">{describeSaved(run, lastSeq)}</Value>
      </Values>
    </Block>
  )
}

function describeSaved({ stages }: PipelineRun, lastSeq: number): string {
  const done = stages.filter((it) => it.status === "done" || it.status === "paused").length
  return done === 0 ? `event ${lastSeq}` : `after stage ${done}, event ${formatExact(lastSeq)}`
}

function describeDepth({ depth }: PipelineRun, start: RunStarted | undefined): string {
  const config = start?.config.depths[depth]
  if (config === undefined) return depth
  return join(
    depth,
    plural(config.subQueries, "query", "queries"),
    config.repairs === 0 ? "no repair" : plural(config.repairs, "repair"),
    config.web ? "" : "no web",
  )
}

function sourcesOf(start: RunStarted | undefined): string {
  const scopes = start?.config.stages.map((it) => it.scope) ?? []
  const names = [
    ...scopes.flatMap((it) => it.sources),
    ...(scopes.some((it) => it.knowledge) ? ["knowledge base"] : []),
    ...scopes.flatMap((it) => it.agents),
  ]
  return [...new Set(names)].map(visibleLine).join(", ")
}

type StageContext = {
  readonly stage: number
  readonly tokens: Partial<Record<ContextKind, number>>
  readonly total: number
  readonly budget: number | null
}

export function contextOf(
  events: readonly PipelineEvent[],
  start: RunStarted | undefined,
): StageContext | undefined {
  for (const { body } of events.toReversed()) {
    const isShaped = body.type === "substep" && body.phase === "ended" && IS_CONTEXT.test(body.tool)
    const context = isShaped ? readShaped(body, start) : undefined
    if (context !== undefined) return context
  }
  return undefined
}

const IS_CONTEXT = /^context/i
/** 9800 of 12000 tokens, 12 texts. */
const FIGURES = /^([\d,]+) of ([\d,]+) tokens/

type Substep = Extract<PipelineEvent["body"], { type: "substep" }>

function readShaped(body: Substep, start: RunStarted | undefined): StageContext | undefined {
  const result = asRecord(body.result)
  const kinds = kindsIn(asRecord(result["tokens"]))
  const [, used, of] = FIGURES.exec(body.title) ?? []
  const total = sumOf(kinds) || body.tokens || figureOf(used)
  if (total === undefined || total === 0) return undefined
  return {
    stage: body.stage,
    // Without kinds, the context consists of paragraphs of the knowledge base.
    tokens: sumOf(kinds) > 0 ? kinds : { knowledge: total },
    total,
    budget: figureOf(of) ?? ownBudget(body.stage, start),
  }
}

function figureOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text.replaceAll(",", ""))
}

function ownBudget(stage: number, start: RunStarted | undefined): number | null {
  if (start === undefined) return null
  const { stages, depths } = start.config
  return stages[stage]?.contextTokens ?? depths[start.depth]?.contextTokens ?? null
}

function kindsIn(fields: Record<string, unknown>): Partial<Record<ContextKind, number>> {
  return Object.fromEntries(
    KINDS.flatMap((kind) => {
      const tokens = fields[kind]
      return typeof tokens === "number" && tokens > 0 ? [[kind, tokens]] : []
    }),
  )
}

function sumOf(kinds: Partial<Record<ContextKind, number>>): number {
  return KINDS.reduce((sum, kind) => sum + (kinds[kind] ?? 0), 0)
}
