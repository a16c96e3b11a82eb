import { formatCostSum } from "#ground/base/format"
import { visibleLine } from "../../base/format.ts"
import {
  formatCount,
  formatExact,
  type GatewayShow,
  type ProxiedSession,
  plural,
} from "../../contract.ts"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Roomy, Vital, Vitals, Wide } from "../../ui/transcript/transcript.tsx"
import {
  describeMissed,
  describeTotals,
  describeUnknown,
  formatPercent,
  formatUpstream,
  MODE_SAYS,
  missedOf,
  tokensOf,
} from "./words.ts"

export function GatewayVitals({ show }: { readonly show: GatewayShow }) {
  const { sessions, totals } = show
  const newest = sessions.at(-1)
  const tokens = tokensOf(show)
  const missed = missedOf(show)
  if (newest === undefined) return null
  const isAlive = sessions.some((it) => it.isAlive)
  return (
    <Vitals>
      <Vital title={isAlive ? "Proxy process is running" : "Proxy process has ended"}>
        <StatusMark status={isAlive ? "running" : "done"} />
        <span>{isAlive ? "alive" : "ended"}</span>
      </Vital>
      <Vital title={MODE_SAYS[newest.mode]}>
        <span>{newest.mode}</span>
      </Vital>
      <Vital wide yields title={describeRoute(newest)}>
        <Roomy>{newest.wire}</Roomy>
        <Text tone="2" cut>
          {visibleLine(formatUpstream(newest.upstream))}
        </Text>
      </Vital>
      <Vital>
        <span>{formatExact(totals.requests)}</span>
        <Text tone="3">{totals.requests === 1 ? "request" : "requests"}</Text>
      </Vital>
      {tokens === null ? null : (
        <Vital title={describeTotals(show)}>
          <span>{formatCount(tokens)}</span>
          <Text tone="3">tokens</Text>
          <Wide>
            <Text tone="3">exact</Text>
          </Wide>
        </Vital>
      )}
      {totals.costUsd === null ? null : (
        <Vital title="Cost of the exact usage, by the price table">
          <span>{formatCostSum(totals.costUsd, totals.unknownCosts)}</span>
        </Vital>
      )}
      {totals.cacheShare === null ? null : (
        <Vital wide title="Share of the input read from the provider's cache">
          <span>{formatPercent(totals.cacheShare)}</span>
          <Text tone="3">cached</Text>
        </Vital>
      )}
      {missed.tokens === 0 ? null : (
        <Vital wide title={describeMissed(missed)}>
          <span>{formatCount(missed.tokens)}</span>
          <Text tone="3">missed</Text>
        </Vital>
      )}
      {totals.savedTokens === 0 ? null : (
        <Vital wide title={describeSaved(show)}>
          <span>{formatCount(totals.savedTokens)}</span>
          <Text tone="3">saved</Text>
        </Vital>
      )}
      {totals.unknownUsage === 0 ? null : (
        <Vital wide yields title="These responses reported no usage, so the totals leave them out">
          <Text tone="3" cut>
            {describeUnknown(totals.unknownUsage)}
          </Text>
        </Vital>
      )}
    </Vitals>
  )
}

function describeRoute({ wire, upstream }: ProxiedSession): string {
  return `${wire} format, to ${visibleLine(upstream)}`
}

function describeSaved({ sessions, totals }: GatewayShow): string {
  const folds = sessions.reduce((sum, it) => sum + it.folds, 0)
  return `${formatExact(totals.savedTokens)} tokens left out of ${plural(folds, "request")} by folding, each request counted`
}
