import { formatAge, formatScore, formatWhen, visibleLine } from "../../base/format.ts"
import { type Claim, formatExact, plural, type SessionShow } from "../../contract.ts"
import { paths } from "../../data/paths.ts"
import { Block, Flow, Stack } from "../../ui/pane/pane.tsx"
import { PlaceLink, Text } from "../../ui/text/text.tsx"
import { describeExpiry, describeLoaded } from "./words.ts"

const MOST_SHOWN = 100

type LineProps = {
  readonly path: string
  readonly description: string
  readonly isWarned?: boolean
}

function PathLine({ path, description, isWarned = false }: LineProps) {
  return (
    <Flow align="apart">
      <PlaceLink href={paths.map({ show: path })}>{visibleLine(path)}</PlaceLink>
      <Text size="sm" tone={isWarned ? "warn" : "3"}>
        {description}
      </Text>
    </Flow>
  )
}

function More({ count }: { readonly count: number }) {
  if (count <= MOST_SHOWN) return null
  return (
    <Text size="sm" tone="3">
      And {formatExact(count - MOST_SHOWN)} more.
    </Text>
  )
}

type FilesBlockProps = { readonly now: number; readonly files: SessionShow["files"] }

export function FilesBlock({ now, files }: FilesBlockProps) {
  return (
    <Block title="Edited files" aside={formatExact(files.length)}>
      <Stack gap="8">
        {files.length === 0 ? <Text tone="2">None yet.</Text> : null}
        {files.slice(0, MOST_SHOWN).map(({ path, edits, lastAt, isImportant }) => (
          <PathLine
            key={path}
            path={path}
            description={`${isImportant ? "important, " : ""}${plural(edits, "edit")}, ${formatAge(lastAt, now)} ago`}
          />
        ))}
        <More count={files.length} />
      </Stack>
    </Block>
  )
}

type ClaimsBlockProps = { readonly now: number; readonly claims: readonly Claim[] }

export function ClaimsBlock({ now, claims }: ClaimsBlockProps) {
  if (claims.length === 0) return null
  return (
    <Block title="Claims" aside={formatExact(claims.length)}>
      <Stack gap="8">
        {claims.slice(0, MOST_SHOWN).map((it) => (
          <Flow key={it.path} align="apart">
            <PlaceLink href={paths.sessions({ tab: "claims", at: it.path, show: it.path })}>
              {visibleLine(it.path)}
            </PlaceLink>
            <Text size="sm" tone="3">
              {it.expiresAt <= now ? "expired" : `expires ${describeExpiry(it, now)}`}
            </Text>
          </Flow>
        ))}
        <More count={claims.length} />
      </Stack>
    </Block>
  )
}

type OutsideBlockProps = { readonly now: number; readonly outside: SessionShow["outside"] }

export function OutsideBlock({ now, outside }: OutsideBlockProps) {
  if (outside.length === 0) return null
  return (
    <Block title="Changed by others" aside={formatExact(outside.length)}>
      <Stack gap="8">
        {outside.slice(0, MOST_SHOWN).map(({ path, at }) => (
          <PathLine
            key={`${at} ${path}`}
            path={path}
            description={`${formatAge(at, now)} ago`}
            isWarned
          />
        ))}
        <More count={outside.length} />
      </Stack>
    </Block>
  )
}

type MomentsBlockProps = { readonly now: number; readonly shown: SessionShow }

export function MomentsBlock({ now, shown }: MomentsBlockProps) {
  const { registered, nudges, simulations } = shown
  if (registered.length + nudges.length + simulations.length === 0) return null
  return (
    <Block title="History">
      <Stack gap="8">
        {registered.map(({ file, at }) => (
          <Stack key={`${at} ${file}`}>
            <PlaceLink href={paths.sessions({ tab: "logged", at: file, show: file })}>
              {`Registered in ${visibleLine(file)}`}
            </PlaceLink>
            <When at={at} now={now} />
          </Stack>
        ))}
        {nudges.map(({ at }, i) => (
          <Flow key={`${i} ${at}`} align="apart">
            <Text>Reminded to register</Text>
            <When at={at} now={now} />
          </Flow>
        ))}
        {simulations.map(({ id, risk, at, paths: simulated }) => (
          <Flow key={id} align="apart">
            <Text wrap title={visibleLine(simulated.join(", "))}>
              Simulated{" "}
              {simulated.length === 1
                ? visibleLine(simulated[0] ?? "")
                : plural(simulated.length, "file")}
              , risk {formatScore(risk)}
            </Text>
            <When at={at} now={now} />
          </Flow>
        ))}
      </Stack>
    </Block>
  )
}

function When({ at, now }: { readonly at: number; readonly now: number }) {
  return (
    <Text size="sm" tone="3">
      {formatWhen(at, now)}
    </Text>
  )
}

export function LoadedBlock({ loaded }: { readonly loaded: SessionShow["loaded"] }) {
  if (loaded.length === 0) return null
  return (
    <Block title="Loaded instructions" aside={formatExact(loaded.length)}>
      <Stack gap="8">
        {loaded.slice(0, MOST_SHOWN).map((it) => (
          <Stack key={`${it.at} ${it.path}`}>
            <Text mono wrap>
              {visibleLine(it.path)}
            </Text>
            <Text size="sm" tone="3" wrap>
              {it.parent === null
                ? describeLoaded(it)
                : `${describeLoaded(it)}, imported by ${visibleLine(it.parent)}`}
            </Text>
          </Stack>
        ))}
        <More count={loaded.length} />
      </Stack>
    </Block>
  )
}
