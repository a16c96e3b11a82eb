import { formatWhen, visibleLine } from "../../base/format.ts"
import { formatExact, plural, type SessionsShow } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { Row, RowNote, Rows, TextCell } from "../../ui/list/list.tsx"
import { Block, Flow, PaneFoot, Stack } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"

const FILE_COLUMNS = { full: "minmax(0, 1fr) 72px 72px" } as const
const MOST_FILES = 100

export function FilesTab({ shown }: { readonly shown: SessionsShow }) {
  const { paths: files } = shown
  if (files.length === 0) return <RowNote>Its tools read and edited no file.</RowNote>
  return (
    <>
      <Rows columns={FILE_COLUMNS}>
        {files.slice(0, MOST_FILES).map(({ path, reads, edits }) => (
          <Row key={path} href={paths.map({ show: path })}>
            <Path path={path} />
            <TextCell size="sm" tone="2" align="end">
              {edits === 0 ? "" : plural(edits, "edit")}
            </TextCell>
            <TextCell size="sm" tone="3" align="end">
              {reads === 0 ? "" : plural(reads, "read")}
            </TextCell>
          </Row>
        ))}
      </Rows>
      {files.length > MOST_FILES ? (
        <PaneFoot>
          {`The ${formatExact(MOST_FILES)} with most edits of ${formatExact(files.length)}.`}
        </PaneFoot>
      ) : null}
    </>
  )
}

type LedgerTabProps = { readonly now: number; readonly shown: SessionsShow }

export function LedgerTab({ now, shown: { ledger, session } }: LedgerTabProps) {
  if (ledger === null) {
    return (
      <RowNote>
        No hook reported this session in this repository, so it has no claims and verdicts.
      </RowNote>
    )
  }
  return (
    <>
      <Block title="Edited, by hooks" aside={formatExact(ledger.edited.length)}>
        <Stack gap="8">
          {ledger.edited.slice(0, MOST_FILES).map(({ path, edits }) => (
            <Flow key={path} align="apart">
              <PlaceLink href={paths.map({ show: path })}>{visibleLine(path)}</PlaceLink>
              <Text size="sm" tone="3">
                {plural(edits, "edit")}
              </Text>
            </Flow>
          ))}
        </Stack>
      </Block>
      <Block title="Claims" aside={formatExact(ledger.claims.length)}>
        <Stack gap="8">
          {ledger.claims.slice(0, MOST_FILES).map((it) => (
            <Flow key={it.path} align="apart">
              <PlaceLink href={paths.sessions({ tab: "claims", at: it.path, show: it.path })}>
                {visibleLine(it.path)}
              </PlaceLink>
              <Text size="sm" tone="3">
                until {formatWhen(it.expiresAt, now)}
              </Text>
            </Flow>
          ))}
        </Stack>
      </Block>
      <Block title="Records" aside={formatExact(ledger.records.length)}>
        <Stack gap="8">
          {ledger.records.length === 0 ? <Text tone="3">It is not registered.</Text> : null}
          {ledger.records.map((it) => (
            <PlaceLink key={it} href={paths.sessions({ tab: "logged", at: it, show: it })}>
              {visibleLine(it)}
            </PlaceLink>
          ))}
        </Stack>
      </Block>
      <Block title="Guard" aside={formatExact(ledger.verdicts.length)}>
        <Stack gap="8">
          {ledger.verdicts.map(({ at, rule, decision, paths: files }) => (
            <Flow key={`${at} ${rule}`} align="apart">
              <Text cut>{[rule, decision, ...files].map(visibleLine).join(" ")}</Text>
              <Text size="sm" tone="3">
                {formatWhen(at, now)}
              </Text>
            </Flow>
          ))}
          <PlaceLink href={paths.guard({ session: session.id, hours: 720 })}>
            Show all hook messages
          </PlaceLink>
        </Stack>
      </Block>
    </>
  )
}
