import { useState } from "react"
import { formatWhen, visibleLine } from "../../base/format.ts"
import { type GatewayShow, type ProxiedSession, plural, type Run } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { paths } from "../../data/paths.ts"
import { useSession } from "../../data/queries.tsx"
import { Button } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useLater } from "../../ui/use-later.ts"
import { isRunId, useDelete, useProxiedSessions } from "./use-gateway.ts"
import { describeDelete } from "./words.ts"

type GatewayHeaderProps = {
  readonly id: string
  readonly now: number
  readonly run: Run | undefined
  readonly show: GatewayShow | undefined
}

export function GatewayHeader({ id, now, run, show }: GatewayHeaderProps) {
  const home = isRunId(id) ? paths.run(id) : paths.runs()
  const own = show?.sessions.at(-1)
  const name = visibleLine(run?.title || own?.title || id)
  const parent = isRunId(id) ? { label: name, href: home } : { label: "Runs", href: home }
  return (
    <Header
      parent={parent}
      isDetail
      title="Gateway"
      facts={<OtherSessions now={now} id={id} current={isRunId(id) ? "" : `${name}, `} />}
    >
      {own === undefined || show === undefined ? null : (
        <>
          <FoldWork show={show} />
          <DeleteRecords show={show} onDeleted={() => navigate(home)} />
        </>
      )}
      {isRunId(id) ? (
        <Button
          variant="ghost"
          icon="ask"
          keyId="gateway.run"
          shrinks
          onPress={() => navigate(home)}
        >
          Transcript
        </Button>
      ) : null}
    </Header>
  )
}

type OtherSessionsProps = {
  readonly now: number
  readonly id: string
  readonly current: string
}

function OtherSessions({ now, id, current }: OtherSessionsProps) {
  const { data } = useProxiedSessions()
  const sessions = byPage(data?.sessions ?? [])
  const shown = sessions.find((it) => pageOf(it) === id)
  if (sessions.length === 0) return null
  const description = `${current}${shown === undefined ? "others" : formatWhen(shown.startedAt, now)}`
  return (
    <ChoiceMenu
      label={`Proxied session: ${description}`}
      keyId="gateway.choose"
      choices={sessions.map((it) => ({
        value: pageOf(it),
        label: visibleLine(it.title),
        detail: `${formatWhen(it.startedAt, now)}, ${plural(it.requests, "request")}`,
        aside: it.isAlive ? "alive" : it.mode,
      }))}
      value={id}
      onPick={(value) => navigate(paths.gateway(value))}
    >
      <Text tone="2">{description}</Text>
    </ChoiceMenu>
  )
}

function pageOf({ run, id }: ProxiedSession): string {
  return run ?? id
}

/** A run that was proxied more than once has one page: that of its newest proxied session. */
function byPage(sessions: readonly ProxiedSession[]): readonly ProxiedSession[] {
  const pages = new Set<string>()
  return sessions.filter((session) => {
    const isNew = !pages.has(pageOf(session))
    pages.add(pageOf(session))
    return isNew
  })
}

const loadDialog = async () => (await import("../../ui/dialog/confirm-dialog.tsx")).ConfirmDialog

const loadFoldSpan = async () => (await import("./fold-span.tsx")).FoldSpan

/** Only in fold mode: otherwise the gateway changes no request. */
function FoldWork({ show }: { readonly show: GatewayShow }) {
  const { data: session } = useSession()
  const [isOpen, setIsOpen] = useState(false)
  const { part: FoldSpan, want } = useLater(loadFoldSpan)
  if (show.sessions.at(-1)?.mode !== "fold") return null
  return (
    <>
      <Button
        variant="ghost"
        keyId="gateway.fold"
        disabled={session?.readOnly === true}
        onPress={() => want(() => setIsOpen(true))}
      >
        Fold
      </Button>
      {isOpen && FoldSpan !== undefined ? (
        <FoldSpan show={show} onClose={() => setIsOpen(false)} />
      ) : null}
    </>
  )
}

type DeleteRecordsProps = {
  readonly show: GatewayShow
  onDeleted(): void
}

function DeleteRecords({ show, onDeleted }: DeleteRecordsProps) {
  const { data: session } = useSession()
  const [isAsking, setIsAsking] = useState(false)
  const { part: ConfirmDialog, want } = useLater(loadDialog)
  const { remove, isBusy } = useDelete()
  const isAlive = show.sessions.some((it) => it.isAlive)
  return (
    <>
      <Button
        variant="ghost"
        keyId="gateway.delete"
        disabled={session?.readOnly === true || isAlive || isBusy}
        onPress={() => want(() => setIsAsking(true))}
      >
        Delete
      </Button>
      {isAsking && ConfirmDialog !== undefined ? (
        <ConfirmDialog
          title="Delete recorded requests?"
          description={describeDelete(show)}
          verb="Delete"
          onClose={() => setIsAsking(false)}
          onDo={() => remove(show, { onSuccess: onDeleted })}
        />
      ) : null}
    </>
  )
}
