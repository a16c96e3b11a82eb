import { toWireError } from "../../base/errors.ts"
import { formatRound, visibleLine } from "../../base/format.ts"
import { type AgentsContext, formatCount, formatExact } from "../../contract.ts"
import { useBranchOf, usePullState } from "../../data/actions/use-pull-state.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { KindDot, RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { IconButton } from "../../ui/button/button.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Block, Pane, PaneHead, PaneScroll, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PullState } from "../../ui/pull-state/pull-state.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Changes } from "../../ui/transcript/box.tsx"
import { ItemList, KindTable, MoreButton, TextLink } from "../../ui/transcript/transcript.tsx"
import { newestWire } from "./usage-source.ts"
import { describeUsageSource } from "./words.ts"

type DrawerProps = {
  readonly id: string
  readonly cwd: string
  readonly hostReportedAt: number | null
  readonly hasEnded: boolean
  onClose(): void
  onPick(seq: number): void
}

export function Drawer({ id, cwd, hostReportedAt, hasEnded, onClose, onPick }: DrawerProps) {
  const context = useOperation("agents.context", { id })
  const summary =
    context.data === undefined
      ? undefined
      : { ...context.data, wire: newestWire(context.data, hostReportedAt) }
  return (
    <Pane label="Context" ground="canvas">
      <PaneHead actions={<IconButton small icon="close" label="Close" onPress={onClose} />}>
        <b>Context</b>
        <Text tone="3">{summary === undefined ? "" : formatUsed(summary, hasEnded)}</Text>
      </PaneHead>
      <PaneScroll>
        {context.error === null ? null : (
          <Failure
            size="pane"
            error={toWireError(context.error)}
            onRetry={() => void context.refetch()}
          />
        )}
        {context.isPending ? <RowSkeleton rows={6} /> : null}
        {summary === undefined ? null : (
          <Blocks id={id} context={summary} hasEnded={hasEnded} onPick={onPick} />
        )}
        <Branch cwd={cwd} />
      </PaneScroll>
    </Pane>
  )
}

/** For a run in a worktree, whose branch may have a pull request. */
function Branch({ cwd }: { readonly cwd: string }) {
  const branch = useBranchOf(cwd)
  const pullState = usePullState(branch)
  if (branch === null) return null
  return (
    <Block title="Pull request" aside={visibleLine(branch)}>
      <PullState {...pullState} />
    </Block>
  )
}

function formatUsed({ used: reported, wire, window }: AgentsContext, hasEnded: boolean): string {
  const used = wire?.used ?? reported
  if (used === null) return hasEnded ? "not known" : "not known yet"
  return window === null ? formatCount(used) : `${formatCount(used)} of ${formatRound(window)}`
}

/** Hosts compact before the window is full; this is the observed threshold. */
const COMPACTS_AT = 0.8

type BlocksProps = {
  readonly id: string
  readonly context: AgentsContext
  readonly hasEnded: boolean
  onPick(seq: number): void
}

function Blocks({ id, context, hasEnded, onPick }: BlocksProps) {
  return (
    <>
      <Window id={id} context={context} hasEnded={hasEnded} />
      <PrependedParts parts={context.parts} onPick={onPick} />
      <ThisTurn files={context.files} onPick={onPick} />
      <Ahead context={context} onPick={onPick} />
      <Changed changes={context.changes} onPick={onPick} />
    </>
  )
}

function Window({ id, context, hasEnded }: Omit<BlocksProps, "onPick">) {
  const { window, used, wire } = context
  const kinds = wire?.kinds ?? context.kinds
  const knownKinds = kinds.filter((it) => it.tokens > 0)
  if (knownKinds.length === 0) {
    return (
      <Block>
        <Text as="p" size="sm" tone="2">
          {describeUnknown(used, hasEnded)}
        </Text>
      </Block>
    )
  }
  const total = knownKinds.reduce((sum, it) => sum + it.tokens, 0)
  return (
    <Block>
      <RowBudgetBar
        tokens={Object.fromEntries(knownKinds.map((it) => [it.kind, it.tokens]))}
        {...(window === null ? {} : { window, budget: Math.round(window * COMPACTS_AT) })}
      />
      <Stack gap="8">
        <KindTable>
          {knownKinds.flatMap(({ kind, tokens }) => [
            <KindDot key={`${kind} dot`} kind={kind} />,
            <span key={kind}>{kind}</span>,
            <span key={`${kind} tokens`}>{formatCount(tokens)}</span>,
            <span key={`${kind} share`}>{Math.round((tokens / total) * 100)} %</span>,
          ])}
        </KindTable>
        <SourceLine id={id} wire={wire} />
      </Stack>
    </Block>
  )
}

function describeUnknown(used: number | null, hasEnded: boolean): string {
  if (used !== null) return "The host reports how much is in its window, but not what."
  return hasEnded
    ? "The host did not report the content of its window."
    : "The host has not reported the content of its window yet."
}

type WhenceProps = { readonly id: string; readonly wire: AgentsContext["wire"] }

function SourceLine({ id, wire }: WhenceProps) {
  const description = describeUsageSource(wire)
  return (
    <Text as="p" size="sm" tone="3">
      {wire === null ? (
        `${description.charAt(0).toUpperCase()}${description.slice(1)}.`
      ) : (
        <>
          <TextLink href={paths.gateway(id, { at: `${wire.proxiedSession}.${wire.seq}` })}>
            {`${description.charAt(0).toUpperCase()}${description.slice(1)}`}
          </TextLink>
          {wire.savedTokens === 0 ? "" : `, ${formatExact(wire.savedTokens)} tokens folded out`}
        </>
      )}
    </Text>
  )
}

type InFrontProps = { readonly parts: AgentsContext["parts"]; onPick(seq: number): void }

function PrependedParts({ parts, onPick }: InFrontProps) {
  if (parts.length === 0) return null
  return (
    <Block title="Added before turns">
      <ItemList>
        {parts.map(({ label, tokens, pack, seq }) => (
          <li key={label}>
            {pack === undefined ? (
              <button type="button" onClick={() => onPick(seq)}>
                <Text cut>{visibleLine(label)}</Text>
              </button>
            ) : (
              <TextLink href={paths.pack({ id: pack })}>
                <Text cut title={visibleLine(label)}>
                  {visibleLine(label)}
                </Text>
              </TextLink>
            )}
            <Text mono tone="2">
              {formatExact(tokens)}
            </Text>
          </li>
        ))}
      </ItemList>
    </Block>
  )
}

type Files = AgentsContext["files"]
const FIRST_FILES = 12

function ThisTurn({ files, onPick }: { readonly files: Files; onPick(seq: number): void }) {
  const fresh = files.filter((it) => it.isThisTurn)
  const shown = fresh.slice(-FIRST_FILES)
  const sum = fresh.reduce((total, it) => total + (it.tokens ?? 0), 0)
  if (files.length === 0) return null
  return (
    <Block title="This turn" aside={sum === 0 ? "" : `+${formatCount(sum)}`}>
      {fresh.length === 0 ? (
        <Text as="p" size="sm" tone="2">
          No new files. Earlier: {formatExact(files.length)} files.
        </Text>
      ) : (
        <ItemList>
          {shown.map((it) => (
            <li key={it.seq}>
              <KindDot kind="files" outlined={it.isBeforeCompaction} />
              <button type="button" title={it.reason} onClick={() => onPick(it.seq)}>
                <Path path={it.path} nameParts={it.path.endsWith("/SKILL.md") ? 2 : 1} />
              </button>
              <Text mono tone="2">
                {it.tokens === null ? "" : formatExact(it.tokens)}
              </Text>
            </li>
          ))}
        </ItemList>
      )}
      {fresh.length > shown.length ? (
        <Text size="sm" tone="3">
          {formatExact(fresh.length - shown.length)} earlier ones
        </Text>
      ) : null}
    </Block>
  )
}

function Ahead({ context, onPick }: Pick<BlocksProps, "context" | "onPick">) {
  const { window, compactions, files, wire } = context
  const used = wire?.used ?? context.used
  const lost = files.filter((it) => it.isBeforeCompaction).length
  const last = compactions.at(-1)
  if (window === null && last === undefined) return null
  return (
    <Block title="Compaction">
      <Values>
        {window === null ? null : (
          <Value name="Host compacts">
            near {formatRound(window * COMPACTS_AT)}, marked on the bar
          </Value>
        )}
        {window === null || used === null ? null : (
          <Value name="Free">{formatCount(Math.max(0, window - used))} tokens</Value>
        )}
        {last === undefined ? null : (
          <Value name="Compacted">
            <MoreButton onPress={() => onPick(last.seq)}>
              {compactions.length === 1 ? "once" : `${compactions.length} times`}
            </MoreButton>
          </Value>
        )}
        {lost === 0 ? null : (
          <Value name="Possibly dropped">{formatExact(lost)} files loaded before</Value>
        )}
      </Values>
    </Block>
  )
}

type ChangedProps = { readonly changes: AgentsContext["changes"]; onPick(seq: number): void }

function Changed({ changes, onPick }: ChangedProps) {
  if (changes.length === 0) return null
  const added = changes.reduce((sum, it) => sum + it.added, 0)
  const removed = changes.reduce((sum, it) => sum + it.removed, 0)
  return (
    <Block title="Changed in this run" aside={<Changes added={added} removed={removed} />}>
      <ItemList>
        {changes.map((it) => (
          <li key={it.path}>
            <button type="button" onClick={() => onPick(it.seq)}>
              <Path path={it.path} />
            </button>
            <Changes added={it.added} removed={it.removed} />
          </li>
        ))}
      </ItemList>
    </Block>
  )
}
