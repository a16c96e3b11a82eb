import { formatWhenAmong } from "../../base/format.ts"
import { hostTitle } from "../../base/hosts.ts"
import {
  type CaptureDiff,
  type CaptureHosts,
  type CaptureSummary,
  type HostName,
  plural,
} from "../../contract.ts"
import { HOSTS, paths } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import { ChoiceMenu } from "../../ui/menu/menu.tsx"
import { OnlyWide } from "../../ui/pane/pane.tsx"
import { TagButton } from "../../ui/tag/tag.tsx"
import { Text } from "../../ui/text/text.tsx"
import { describeInstalled, describeSummary } from "./words.ts"

type Host = CaptureHosts["hosts"][number]

type CaptureHeaderProps = {
  readonly now: number
  readonly host: HostName
  readonly hosts: readonly Host[]
  readonly captures: readonly CaptureSummary[]
  readonly shownId: string
  readonly shownAt: number | undefined
  readonly diff: CaptureDiff | undefined
  readonly isNever: boolean
  readonly isDiffShown: boolean
  readonly isReadOnly: boolean
  readonly isBusy: boolean
  onHost(host: HostName): void
  onCapture(id: string): void
  onDiff(): void
  onTake(): void
  onAsk(): void
}

export function CaptureHeader(props: CaptureHeaderProps) {
  const { now, host, hosts, shownAt, diff, isNever, isReadOnly, isBusy } = props
  const whenOf = (at: number) =>
    formatWhenAmong(
      at,
      now,
      props.captures.map((it) => it.capturedAt),
    )
  const selectedHost = hosts.find((it) => it.name === host)
  const pickHost = (value: string) => {
    const name = HOSTS.find((it) => it === value)
    if (name !== undefined) props.onHost(name)
  }
  return (
    <Header
      parent={{ label: "Capture", href: paths.capture() }}
      name={hostTitle(host)}
      title={
        <ChoiceMenu
          label={`Host: ${hostTitle(host)}`}
          keyId="capture.host"
          choices={hosts.map((it) => ({
            value: it.name,
            label: it.title,
            detail: describeInstalled(it),
            ...(it.isVerified ? {} : { aside: "not verified" }),
          }))}
          value={host}
          onPick={pickHost}
        >
          {hostTitle(host)}
        </ChoiceMenu>
      }
      facts={
        <>
          {shownAt === undefined ? null : (
            <ChoiceMenu
              label={`Capture of ${whenOf(shownAt)}`}
              keyId="capture.history"
              choices={props.captures.map((it) => ({
                value: it.id,
                label: whenOf(it.capturedAt),
                detail: describeSummary(it),
              }))}
              value={props.shownId}
              onPick={props.onCapture}
            >
              <Text tone="2">{whenOf(shownAt)}</Text>
            </ChoiceMenu>
          )}
          {selectedHost?.isVerified === false ? (
            <OnlyWide>
              <Text size="sm" tone="warn">
                not verified
              </Text>
            </OnlyWide>
          ) : null}
          {diff === undefined ? null : (
            <TagButton icon="diff" onPress={props.onDiff}>
              {diff.changes.length === 0 ? "no change" : plural(diff.changes.length, "change")}{" "}
              since {whenOf(diff.from.capturedAt)}
            </TagButton>
          )}
        </>
      }
    >
      {isNever ? null : (
        <OnlyWide>
          <Button
            variant="ghost"
            keyId="capture.diff"
            pressed={props.isDiffShown}
            onPress={props.onDiff}
          >
            Diff
          </Button>
        </OnlyWide>
      )}
      {selectedHost?.canObserve === true ? (
        <OnlyWide>
          <Button
            variant="ghost"
            keyId="capture.ask"
            disabled={isReadOnly || isBusy || selectedHost.installed === null}
            onPress={props.onAsk}
          >
            Query the host
          </Button>
        </OnlyWide>
      ) : null}
      {isNever ? null : (
        <Button
          icon="refresh"
          keyId="capture.take"
          disabled={isReadOnly || isBusy}
          onPress={props.onTake}
          shrinks
        >
          Capture again
        </Button>
      )}
    </Header>
  )
}
