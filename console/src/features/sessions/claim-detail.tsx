import { useState } from "react"
import { formatAge, formatWhen, visibleLine } from "../../base/format.ts"
import { type Claim, formatExact } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { useSessionNames } from "../../data/session-names.ts"
import { Button } from "../../ui/button/button.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowNote } from "../../ui/list/list.tsx"
import {
  Block,
  DetailHead,
  Flow,
  Pane,
  PaneScroll,
  Stack,
  Value,
  Values,
} from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { useLater } from "../../ui/use-later.ts"
import { useRelease } from "./use-sessions.ts"
import {
  describeExpiry,
  describeHolder,
  describeRelease,
  holderMark,
  isUserClaim,
} from "./words.ts"

type ClaimDetailProps = {
  readonly now: number
  readonly path: string
  readonly claim: Claim | undefined
  readonly isReadOnly: boolean
  onClose(): void
}

export function ClaimDetail({ now, path, claim, isReadOnly, onClose }: ClaimDetailProps) {
  useKey("panel.right", onClose)
  return (
    <Pane label="The claim">
      <DetailHead
        back="Back to the list"
        actions={<CopyIcon text={path} label="Copy name" keyId="sessions.copy" />}
        onClose={onClose}
      >
        <Text as="h2" strong cut>
          <Path path={path} />
        </Text>
      </DetailHead>
      {claim === undefined ? (
        <RowNote>The claim was released.</RowNote>
      ) : (
        <PaneScroll>
          <About now={now} claim={claim} />
          <Release claim={claim} isReadOnly={isReadOnly} onReleased={onClose} />
        </PaneScroll>
      )}
    </Pane>
  )
}

function About({ now, claim }: { readonly now: number; readonly claim: Claim }) {
  const { path, session, machine, fence, takenAt, heartbeatAt } = claim
  const nameOf = useSessionNames()
  return (
    <Block>
      <Stack gap="8">
        <Values>
          <Value name="Session" title={visibleLine(session)}>
            {isUserClaim(claim) ? (
              <Text mono>{visibleLine(session)}</Text>
            ) : (
              <PlaceLink href={paths.sessions({ at: session, show: session })}>
                {nameOf(session)}
              </PlaceLink>
            )}
          </Value>
          <Value name="Holder" wrap>
            <Flow>
              <StatusMark status={holderMark(claim)} />
              {describeHolder(claim)}
            </Flow>
          </Value>
          <Value name="Machine">{visibleLine(machine)}</Value>
          <Value name="Claimed">
            {formatAge(takenAt, now)}, {formatWhen(takenAt, now)}
          </Value>
          <Value name="Last heard">{formatAge(heartbeatAt, now)} ago</Value>
          <Value name="Expires">{describeExpiry(claim, now)}</Value>
          <Value name="Fencing token">{formatExact(fence)}</Value>
        </Values>
        <PlaceLink href={paths.map({ show: path })}>Show on the map</PlaceLink>
      </Stack>
    </Block>
  )
}

const loadDialog = async () => (await import("../../ui/dialog/confirm-dialog.tsx")).ConfirmDialog

type ReleaseProps = {
  readonly claim: Claim
  readonly isReadOnly: boolean
  onReleased(): void
}

function Release({ claim, isReadOnly, onReleased }: ReleaseProps) {
  const { release, isBusy } = useRelease()
  const nameOf = useSessionNames()
  const [isAsking, setIsAsking] = useState(false)
  const { part: ConfirmDialog, want } = useLater(loadDialog)
  const act = () => {
    release(claim)
    onReleased()
  }
  return (
    <Block>
      <Flow wrap>
        <Button
          small
          keyId="sessions.release"
          disabled={isReadOnly || isBusy}
          {...(isUserClaim(claim) ? {} : { variant: "danger" })}
          onPress={() => (isUserClaim(claim) ? act() : want(() => setIsAsking(true)))}
        >
          Release
        </Button>
        <Text size="sm" tone="2">
          {isReadOnly ? "This page is read only." : "Other sessions may edit it then."}
        </Text>
      </Flow>
      {isAsking && ConfirmDialog !== undefined ? (
        <ConfirmDialog
          title="Release the claim of another session?"
          description={describeRelease(claim, nameOf(claim.session))}
          verb="Release"
          onClose={() => setIsAsking(false)}
          onDo={act}
        />
      ) : null}
    </Block>
  )
}
