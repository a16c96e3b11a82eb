import { useEffect, useState, useSyncExternalStore } from "react"
import { formatUsd } from "#ground/base/format"
import { isRefusal } from "../base/errors.ts"
import { formatCount, formatExact } from "../contract.ts"
import type { Clock } from "../data/clock.ts"
import { useOperation, useSession } from "../data/queries.tsx"
import { sumToday, useSpend, useWaitingCount } from "../data/today.ts"
import { StatusItem } from "../ui/frame/frame.tsx"
import { Text } from "../ui/text/text.tsx"
import type { LiveConnection } from "./live.ts"
import type { LivePhase } from "./live-cursor.ts"
import type { AppearanceChoice } from "./theme/appearance.ts"

type StatusBarProps = {
  readonly live: LiveConnection
  readonly clock: Clock
  readonly look: AppearanceChoice
  onAsk(query: string): void
}

export function StatusBar({ live, clock, look, onAsk }: StatusBarProps) {
  const { data: session, error } = useSession()
  return (
    <>
      {session === undefined ? null : (
        <StatusItem icon="branch">
          <Text size="xs" mono>
            {session.repository.name}
          </Text>
          <Text size="xs" mono tone="3" cut>
            {session.repository.branch}
          </Text>
        </StatusItem>
      )}
      {isRefusal(error) ? (
        <StatusItem dot="warn" tone="warn">
          Session expired. Run qm open.
        </StatusItem>
      ) : (
        <LiveItem live={live} clock={clock} />
      )}
      <RunsItem />
      {session?.readOnly === true ? <StatusItem icon="lock">Read only</StatusItem> : null}
      <SpentItems />
      <StatusItem
        icon="density"
        wide
        label={`Density: ${look.density}`}
        onPress={() => onAsk("density")}
      >
        {capital(look.density)}
      </StatusItem>
      <StatusItem icon="theme" wide label={`Theme: ${look.mode}`} onPress={() => onAsk("theme")}>
        {capital(look.mode)}
      </StatusItem>
    </>
  )
}

function RunsItem() {
  const { data: report } = useOperation("now.show", {})
  const waiting = useWaitingCount()
  if (report === undefined) return null
  const { running } = sumToday(report)
  if (running + waiting === 0) return null
  return (
    <StatusItem wide>
      {running} running, {waiting} waiting
    </StatusItem>
  )
}

/** The sum that the pages Now and Cost show. */
function SpentItems() {
  const spend = useSpend()
  const { tokens, today } = spend ?? { tokens: null, today: "" }
  return (
    <>
      <StatusItem push wide>
        {tokens === null || tokens === 0 ? "" : `${formatCount(tokens)} tokens today`}
      </StatusItem>
      {today === "" || today === formatUsd(0) ? null : <StatusItem wide>{today}</StatusItem>}
    </>
  )
}

function LiveItem({ live, clock }: Pick<StatusBarProps, "live" | "clock">) {
  const { phase } = useSyncExternalStore(live.listen, live.state, live.state)
  const isCounting = phase.kind === "reconnecting"
  const now = useNow(clock, isCounting ? 250 : 60_000)
  const { text, dot, tone } = describeLive(phase, isCounting ? Math.max(now, clock.now()) : now)
  const words = { dot, ...(tone === undefined ? {} : { tone }) }
  if (!isCounting) return <StatusItem {...words}>{text}</StatusItem>
  return (
    <StatusItem {...words} label={`${text}. Retry now`} onPress={live.retryNow}>
      {text}
    </StatusItem>
  )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type LiveWords = {
  readonly text: string
  readonly dot: "ok" | "warn" | "off"
  readonly tone?: "warn"
}

export function describeLive(phase: LivePhase, now: number): LiveWords {
  switch (phase.kind) {
    case "connecting":
      return { text: "Connecting", dot: "off" }
    case "live":
      return { text: "Live", dot: "ok" }
    case "catching-up":
      return { text: `Catching up, ${describeEvents(phase.events)}`, dot: "ok" }
    case "caught-up":
      return { text: `Caught up, ${describeEvents(phase.events)}`, dot: "ok" }
    case "reconnecting": {
      const seconds = Math.ceil((phase.retryAt - now) / 1_000)
      const text = seconds > 0 ? `Reconnecting, ${seconds} s` : "Reconnecting"
      return { text, dot: "warn", tone: "warn" }
    }
    default:
      return phase satisfies never
  }
}

function describeEvents(count: number): string {
  return count === 1 ? "1 event" : `${formatExact(count)} events`
}

export function useNow(clock: Clock, everyMs: number): number {
  const [now, setNow] = useState(() => clock.now())
  useEffect(() => clock.after(everyMs, () => setNow(clock.now())), [clock, everyMs, now])
  return now
}
