import { formatUsd } from "#ground/base/format"
import { formatCents, formatClockFine, visibleLine } from "../../base/format.ts"
import {
  type CacheReport,
  formatBytes,
  formatExact,
  type GatewayManifest,
  type GatewayRequest,
  type ProxiedSession,
  plural,
} from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import { type GatewayParams, type GatewayTab, paths } from "../../data/paths.ts"
import { RowBudgetBar } from "../../ui/budget-bar/budget-bar.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { LoadFailure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote, RowSkeleton } from "../../ui/list/list.tsx"
import {
  Block,
  DetailHead,
  Pane,
  PaneHead,
  PaneScroll,
  Stack,
  Value,
  Values,
} from "../../ui/pane/pane.tsx"
import { Facets } from "../../ui/tabs/tabs.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { Exact } from "./exact.tsx"
import { kindsOf, readKey } from "./lines.ts"
import { RequestContent } from "./request-content.tsx"
import { useManifest } from "./use-gateway.ts"
import {
  describeCache,
  describeDifference,
  describeSecrets,
  formatTime,
  inputOf,
  isCount,
  outcomeOf,
  usageOf,
} from "./words.ts"

type DetailProps = ParamsProps<GatewayParams> & {
  readonly id: string
  readonly sessions: readonly ProxiedSession[]
}

export function Detail({ id, sessions, params, onParams }: DetailProps) {
  const { data, error, isPending, refetch } = useManifest(params.at)
  const key = readKey(params.at)
  const session = sessions.find((it) => it.id === key?.proxiedSession)
  const close = () => onParams({ at: "", piece: null, from: null })
  useKey("panel.right", close)
  return (
    <Pane label="The request">
      <DetailHead
        back="Back to the requests"
        actions={
          <CopyIcon
            text={JSON.stringify(data ?? {}, null, 2)}
            label="Copy record"
            keyId="gateway.copy"
          />
        }
        onClose={close}
      >
        <Text as="h2" strong cut>
          Request {key?.seq}
          {data === undefined ? "" : `, ${formatInput(data.request)}`}
        </Text>
      </DetailHead>
      <LoadFailure
        error={error}
        missing={{
          code: "GATEWAY_REQUEST_UNKNOWN",
          text: "No request has this number. It may have been deleted.",
          all: "All requests",
          href: paths.gateway(id),
        }}
        onRetry={() => void refetch()}
      />
      {isPending ? <RowSkeleton rows={8} /> : null}
      {data === undefined ? null : (
        <Tabs
          manifest={data}
          hasContent={session?.hasContent ?? false}
          params={params}
          onParams={onParams}
        />
      )}
    </Pane>
  )
}

function formatInput(request: GatewayRequest): string {
  const exact = inputOf(request)
  if (exact !== null) return `${formatExact(exact)} tokens`
  return `about ${formatExact(request.tokens)} tokens`
}

function Facts({ request }: { readonly request: GatewayRequest }) {
  const { model, at, costUsd, fallback, problem, agent, session, cache } = request
  const usage = usageOf(request)
  return (
    <Block>
      <Stack gap="8">
        <RowBudgetBar tokens={kindsOf(request)} />
        <Values>
          <Value name="Sent">
            {formatClockFine(at)}
            {model === null ? "" : `, ${visibleLine(model)}`}
          </Value>
          <Value name="Response">{describeResponse(request)}</Value>
          {isCount(request) ? null : (
            <Value name="Input">
              {usage === null ? "not reported by the provider" : describeInputOf(usage)}
            </Value>
          )}
          {usage === null ? null : <Value name="Output">{formatExact(usage.output)} tokens</Value>}
          {costUsd === null || isCount(request) ? null : (
            <Value name="Cost" title={formatUsd(costUsd)}>
              {formatCents(costUsd)}, by the price table
            </Value>
          )}
          {cache === undefined ? null : (
            <Value name="Cache" wrap>
              <CacheUse cache={cache} />
            </Value>
          )}
          {request.secrets === undefined ? null : (
            <Value name="Secrets" wrap>
              {visibleLine(describeSecrets(request))}
            </Value>
          )}
          <Value name="Size">{formatSize(request)}</Value>
          <Value name="New">{describeChange(request)}</Value>
          {request.folded.length === 0 ? null : (
            <Value name="Folded" wrap>
              <Folded folded={request.folded} />
            </Value>
          )}
          {describeMasks(request) === "" ? null : (
            <Value name="Masked" wrap>
              {describeMasks(request)}
            </Value>
          )}
          {fallback === null ? null : (
            <Value name="Original sent" wrap>
              {visibleLine(fallback)}
            </Value>
          )}
          {problem === null ? null : (
            <Value name="Incomplete" wrap>
              {visibleLine(problem)}
            </Value>
          )}
          {agent === null ? null : <Value name="Sub-agent">{visibleLine(agent)}</Value>}
          {session === null ? null : <Value name="Session">{visibleLine(session)}</Value>}
        </Values>
      </Stack>
    </Block>
  )
}

function CacheUse({ cache }: { readonly cache: CacheReport }) {
  const { verdict, comparedWith } = cache
  const text = visibleLine(describeCache(cache))
  if (verdict !== "miss" || comparedWith === null) return text
  const { proxiedSession, seq } = comparedWith
  return (
    <Stack>
      <span>{text}.</span>
      <span>
        Compared with{" "}
        <PlaceLink href={paths.gateway(proxiedSession, { at: `${proxiedSession}.${seq}` })}>
          {`request ${seq}`}
        </PlaceLink>
        : {visibleLine(describeDifference(cache))}.
      </span>
    </Stack>
  )
}

function describeResponse(request: GatewayRequest): string {
  const { status, firstByteMs, durationMs } = request
  const first = firstByteMs === null ? "" : `, first byte after ${formatTime(firstByteMs)}`
  const [outcome] = outcomeOf(request)
  const label = outcome === undefined ? `${status ?? "answered"}` : outcome.text
  return `${label}, ${formatTime(durationMs)}${first}`
}

function describeInputOf({ input, cacheRead, cacheWrite }: NonNullable<GatewayRequest["usage"]>) {
  return `${formatExact(cacheRead)} from the cache, ${formatExact(cacheWrite)} written, ${formatExact(input)} fresh`
}

function formatSize({ sentBytes, forwardedBytes }: GatewayRequest): string {
  if (sentBytes === forwardedBytes) return `${formatBytes(sentBytes)}, forwarded unchanged`
  return `${formatBytes(sentBytes)} by the host, ${formatBytes(forwardedBytes)} to the provider`
}

function describeChange({ added, gone }: GatewayRequest): string {
  const came = added.length === 0 ? "nothing new" : plural(added.length, "item")
  return gone === 0 ? came : `${came}, ${formatExact(gone)} removed since the previous request`
}

/** Empty without masks and without a suggestion. */
function describeMasks({ masked, maskable }: GatewayRequest): string {
  if (masked !== undefined) {
    const { results, tokens, added } = masked
    const news = added === 0 ? "" : `, ${formatExact(added)} of them new`
    return `${plural(results, "old tool result")}${news}, ${formatExact(tokens)} tokens left out`
  }
  if (maskable === undefined) return ""
  const { results, tokens } = maskable
  return `${plural(results, "old tool result")} with ${formatExact(tokens)} tokens could be masked (setting gateway.autoFold)`
}

function Folded({ folded }: Pick<GatewayRequest, "folded">) {
  return (
    <Stack>
      {folded.map(({ branchId, tokens, bytes }) => (
        <span key={branchId}>
          <PlaceLink href={paths.folds({ all: true, at: branchId, show: branchId })}>
            {visibleLine(branchId)}
          </PlaceLink>
          , {formatExact(tokens)} tokens, {formatBytes(bytes)} left out
        </span>
      ))}
    </Stack>
  )
}

type TabsProps = Omit<DetailProps, "id" | "sessions"> & {
  readonly manifest: GatewayManifest
  readonly hasContent: boolean
}

function Tabs({ manifest, hasContent, params, onParams }: TabsProps) {
  const tabs = tabsOf(manifest)
  const { tab } = params
  const pick = (to: GatewayTab) => onParams({ tab: to, piece: null }, "replace")
  const next = tabs[(tabs.findIndex((it) => it.value === tab) + 1) % tabs.length]
  useKey("gateway.tab", () => pick(next?.value ?? "held"))
  return (
    <>
      <PaneHead>
        <Facets
          label="Request views"
          active={tab}
          facets={tabs}
          onPick={(value) => pick(tabs.find((it) => it.value === value)?.value ?? "held")}
        />
      </PaneHead>
      {tab === "held" ? (
        <>
          <Facts request={manifest.request} />
          <RequestContent manifest={manifest} params={params} onParams={onParams} />
        </>
      ) : null}
      {tab === "exact" ? (
        <Exact hasContent={hasContent} params={params} onParams={onParams} />
      ) : null}
      {tab === "headers" ? <Headers headers={manifest.headers} /> : null}
    </>
  )
}

function tabsOf({ items, headers }: GatewayManifest) {
  return [
    { value: "held", label: "Content", count: formatExact(items.length) },
    { value: "exact", label: "Exact request" },
    { value: "headers", label: "Headers", count: formatExact(headers.length) },
  ] as const satisfies readonly { readonly value: GatewayTab; label: string; count?: string }[]
}

function Headers({ headers }: Pick<GatewayManifest, "headers">) {
  if (headers.length === 0) return <RowNote>No headers stored.</RowNote>
  return (
    <PaneScroll>
      <Block>
        <Values>
          {headers.map(({ name, value }, i) => (
            <Value key={`${i} ${name}`} name={visibleLine(name)} wrap title={visibleLine(name)}>
              <Text mono size="sm" wrap>
                {visibleLine(value)}
              </Text>
            </Value>
          ))}
        </Values>
      </Block>
    </PaneScroll>
  )
}
