import { toWireError } from "../../base/errors.ts"
import { formatAge, shortSession, visibleLine } from "../../base/format.ts"
import {
  type Claim,
  formatExact,
  type HookState,
  type LiveSession,
  plural,
} from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { useWatched } from "../../data/watched.ts"
import { Failure } from "../../ui/failure/failure.tsx"
import { Block, Flow, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"

/** The rest is one press away. */
const MOST_SHOWN = 5
const SINCE_HOURS = 24
const MOST_ASKED = 50

export function SessionFacts({ now }: { readonly now: number }) {
  const input = { sinceHours: SINCE_HOURS, limit: MOST_ASKED }
  const { data, error, refetch } = useWatched("session.list", input)
  if (error !== null) {
    return <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return null
  return (
    <Block title="Sessions" aside={`${formatExact(data.live.length)} in ${SINCE_HOURS} hours`}>
      <Stack gap="8">
        {data.live.length === 0 ? <Text tone="2">No hook has seen one.</Text> : null}
        {data.live.slice(0, MOST_SHOWN).map((it) => (
          <SessionLine key={it.session} now={now} session={it} />
        ))}
        <More count={data.live.length} href={paths.sessions()} />
      </Stack>
    </Block>
  )
}

type SessionLineProps = { readonly now: number; readonly session: LiveSession }

function SessionLine({ now, session: it }: SessionLineProps) {
  const { session, host, drifted, edits, lastAt } = it
  const what = drifted > 0 ? `${formatExact(drifted)} not written down` : plural(edits, "edit")
  return (
    <Flow align="apart">
      <PlaceLink href={paths.sessions({ at: session, show: session })}>
        {`${visibleLine(host ?? "session")} ${shortSession(session).slice(0, MOST_OF_A_NAME)}`}
      </PlaceLink>
      <Text size="sm" tone={drifted > 0 ? "warn" : "3"} cut>
        {what}, {formatAge(lastAt, now)}
      </Text>
    </Flow>
  )
}

const MOST_OF_A_NAME = 12

export function ClaimFacts() {
  const { data, error, refetch } = useWatched("claim.list", {})
  if (error !== null) {
    return <Failure size="row" error={toWireError(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return null
  const { claims } = data
  return (
    <Block title="Claims" aside={sayHolders(claims)}>
      <Stack gap="8">
        {claims.length === 0 ? <Text tone="2">No file is held.</Text> : null}
        {claims.slice(0, MOST_SHOWN).map((it) => (
          <Flow key={it.path} align="apart">
            <Path path={it.path} />
            <Text mono tone="3" title={visibleLine(it.session)} cut>
              {shortSession(it.session).slice(0, MOST_OF_A_NAME)}
            </Text>
          </Flow>
        ))}
        <More
          count={claims.length}
          href={paths.sessions({ tab: "claims" })}
          always={claims.length > 0}
        />
      </Stack>
    </Block>
  )
}

function sayHolders(claims: readonly Claim[]): string {
  const sessions = new Set(claims.map((it) => it.session)).size
  return sessions === 0 ? "" : `${plural(claims.length, "path")}, ${plural(sessions, "session")}`
}

type MoreProps = { readonly count: number; readonly href: string; readonly always?: boolean }

function More({ count, href, always = false }: MoreProps) {
  const more = count - MOST_SHOWN
  if (more <= 0 && !always) return null
  return (
    <PlaceLink href={href}>{more > 0 ? `And ${formatExact(more)} more` : "All claims"}</PlaceLink>
  )
}

export function HookFacts() {
  const { data } = useOperation("doctor.run", {})
  const hosts = Map.groupBy(
    (data?.hooks ?? []).filter((it) => it.state !== "not offered"),
    (it) => it.host,
  )
  if (hosts.size === 0) return null
  return (
    <Block title="Hooks">
      <Values>
        {[...hosts].map(([host, hooks]) => (
          <Value key={host} name={host} wrap>
            <Text>{sayFired(hooks)}</Text>
          </Value>
        ))}
      </Values>
    </Block>
  )
}

/** 6 of 7 fired, risk did not. */
export function sayFired(hooks: readonly HookState[]): string {
  const silent = hooks.filter((it) => it.state !== "fired").map((it) => it.hook)
  const fired = `${formatExact(hooks.length - silent.length)} of ${formatExact(hooks.length)} fired`
  if (silent.length === 0) return fired
  const named = silent.slice(0, MOST_NAMED).join(", ")
  const more = silent.length > MOST_NAMED ? ` and ${silent.length - MOST_NAMED} more` : ""
  return `${fired}, not ${named}${more}`
}

const MOST_NAMED = 3
