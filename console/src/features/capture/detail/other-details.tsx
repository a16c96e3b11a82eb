import type { ReactNode } from "react"
import { visibleLine } from "../../../base/format.ts"
import {
  type CaptureChange,
  type EffectiveSetting,
  formatExact,
  type McpServerLine,
  plural,
  type SearchedPath,
  type StartServer,
} from "../../../contract.ts"
import { Button } from "../../../ui/button/button.tsx"
import { DiffLines } from "../../../ui/diff/diff.tsx"
import { RowNote } from "../../../ui/list/list.tsx"
import { Block, PaneScroll, Stack, Value, Values } from "../../../ui/pane/pane.tsx"
import { Path } from "../../../ui/path/path.tsx"
import { Text } from "../../../ui/text/text.tsx"
import {
  type FolderLine,
  type GroupLine,
  type ObservedLine,
  signed,
  type UnknownLine,
} from "../list/lines.ts"
import type { BiggestLine, SettingsLine } from "../tables.ts"
import { describeFile, sentenceCase } from "../words.ts"
import { Detail } from "./detail.tsx"

type Close = { onClose(): void }

function FactsDetail({
  label,
  title,
  description,
  facts,
  onClose,
  children,
}: Close & {
  readonly label: string
  readonly title: string
  readonly description?: string
  readonly facts: readonly (readonly [string, string])[]
  readonly children?: ReactNode
}) {
  return (
    <Detail label={label} title={title} onClose={onClose}>
      <PaneScroll>
        {description === undefined ? null : (
          <Block>
            <Text as="p" tone="2" read>
              {visibleLine(description)}
            </Text>
          </Block>
        )}
        {facts.length === 0 ? null : (
          <Block>
            <Values>
              {facts.map(([name, value]) => (
                <Value key={name} name={name} wrap>
                  {visibleLine(value)}
                </Value>
              ))}
            </Values>
          </Block>
        )}
        {children}
      </PaneScroll>
    </Detail>
  )
}

export function SearchedDetail({ searched, onClose }: Close & { readonly searched: SearchedPath }) {
  const { path, source, outcome, detail } = searched
  return (
    <FactsDetail
      label="Searched path"
      title={path.slice(path.lastIndexOf("/") + 1)}
      description={SAYS_OUTCOME[outcome]}
      facts={[
        ["Path", path],
        ["Outcome", outcome],
        ["Source", sentenceCase(source)],
        ...(detail === undefined ? [] : [["Detail", detail] as const]),
      ]}
      onClose={onClose}
    />
  )
}

const SAYS_OUTCOME = {
  found: "The host loads this file. Its tokens are in the list of loads.",
  missing: "No file exists here. The host would read one at the next start.",
  empty: "The file is empty; nothing of it is sent.",
  unreadable: "The file could not be read.",
  excluded: "The file exists, but the host ignores it.",
} as const

export function ObservedDetail({ line, onClose }: Close & { readonly line: ObservedLine }) {
  const { path, label, tokens } = line.agreement
  return (
    <FactsDetail
      label="Observed only"
      title={label}
      description={`${sentenceCase(describeFile(line.agreement))}.`}
      facts={[
        ["Path", path],
        ...(tokens === undefined
          ? []
          : [["Tokens", `${formatExact(tokens)}, counted by the host`] as const]),
      ]}
      onClose={onClose}
    />
  )
}

export function UnknownDetail({ line, onClose }: Close & { readonly line: UnknownLine }) {
  return (
    <FactsDetail
      label="Not counted"
      title={line.name}
      description="This part is in the window too, but its size is unknown and not in the total."
      facts={[["Reason", line.reason]]}
      onClose={onClose}
    />
  )
}

export function ServerToolsDetail({ server, onClose }: Close & { readonly server: StartServer }) {
  const loaded = server.tools.filter((it) => it.isLoaded).length
  return (
    <FactsDetail
      label="MCP server"
      title={server.name}
      facts={[
        ["Tokens", server.tokens === null ? "unknown" : formatExact(server.tokens)],
        [
          "Tools",
          `${formatExact(loaded)} loaded, ${formatExact(server.tools.length - loaded)} deferred`,
        ],
        [
          "Used",
          `${formatExact(server.usedTools)} tools, ${formatExact(server.calls)} calls in 30 days`,
        ],
        ["Switch off", server.off],
        ["File", server.path],
      ]}
      onClose={onClose}
    >
      <Block title="Tools">
        <Values>
          {server.tools.map((it) => (
            <Value key={it.name} name={visibleLine(it.name)} wrap>
              {formatExact(it.tokens)} tokens, {it.isLoaded ? "loaded" : "deferred"},{" "}
              {it.calls === 0 ? "no call" : plural(it.calls, "call")}
            </Value>
          ))}
        </Values>
      </Block>
    </FactsDetail>
  )
}

type TurnProps = Close & { onTurn(): void }

export function GroupDetail({
  line,
  onTurn,
  onClose,
}: TurnProps & { readonly line: GroupLine | FolderLine }) {
  const isGroup = line.kind === "group"
  const count = isGroup ? line.count : line.items.length
  return (
    <FactsDetail
      label="Group"
      title={isGroup ? line.name : line.folder.label}
      description={
        isGroup
          ? line.description
          : "Only names and descriptions are in the window; a body is loaded when it is used."
      }
      facts={[
        ["Items", formatExact(count)],
        ["Tokens", isGroup ? line.sum : `${formatExact(line.tokens)} sent`],
      ]}
      onClose={onClose}
    >
      <Block>
        <Button small keyId="capture.open" onPress={onTurn}>
          {line.isOpen ? "Fold" : "Open"}
        </Button>
      </Block>
    </FactsDetail>
  )
}

type SettingsDetailLine = Exclude<SettingsLine, { readonly kind: "heading" }>

export function SettingsDetail({ line, onClose }: Close & { readonly line: SettingsDetailLine }) {
  switch (line.kind) {
    case "setting":
      return <SettingDetail setting={line.setting} onClose={onClose} />
    case "server":
      return <ServerDetail server={line.server} onClose={onClose} />
    case "layer": {
      const { layer, path, outcome, problem } = line.layer
      return (
        <FactsDetail
          label="Settings file"
          title={layer}
          facts={[
            ["File", path],
            ["Outcome", outcome],
            ...(problem === undefined ? [] : [["Problem", problem] as const]),
          ]}
          onClose={onClose}
        />
      )
    }
    default:
      return line satisfies never
  }
}

function SettingDetail({ setting, onClose }: Close & { readonly setting: EffectiveSetting }) {
  return (
    <FactsDetail
      label="Setting"
      title={setting.key}
      facts={[
        ["Value", setting.value],
        ["Layer", setting.layer],
        ["File", setting.path],
      ]}
      onClose={onClose}
    >
      {setting.hidden.length === 0 ? null : (
        <Block title="Overrides">
          <Values>
            {setting.hidden.map((it) => (
              <Value key={`${it.layer} ${it.path}`} name={it.layer} wrap>
                <Stack>
                  <Text mono>{visibleLine(it.value)}</Text>
                  <Path path={it.path} />
                </Stack>
              </Value>
            ))}
          </Values>
        </Block>
      )}
    </FactsDetail>
  )
}

function ServerDetail({ server, onClose }: Close & { readonly server: McpServerLine }) {
  return (
    <FactsDetail
      label="MCP server"
      title={server.name}
      facts={[
        ["State", server.state],
        ["Scope", server.scope],
        ["Transport", server.transport],
        ["Target", server.target],
        ["File", server.path],
      ]}
      onClose={onClose}
    />
  )
}

type BiggestDetailLine = Extract<BiggestLine, { readonly kind: "duplicate" | "note" | "category" }>

export function BiggestDetail({ line, onClose }: Close & { readonly line: BiggestDetailLine }) {
  switch (line.kind) {
    case "duplicate": {
      const { labels, tokens, likeness, excerpt } = line.duplicate
      return (
        <FactsDetail
          label="Duplicate text"
          title={`${formatExact(tokens)} tokens repeated`}
          description="These files contain the same text. Keep it in one of them to save tokens."
          facts={[
            ["Similarity", likeness === 1 ? "identical text" : `${Math.round(likeness * 100)} %`],
            ...labels.map((it, i) => [`File ${i + 1}`, it] as const),
            ["Begins with", excerpt],
          ]}
          onClose={onClose}
        />
      )
    }
    case "note": {
      const { code, text, path, line: at } = line.note
      return (
        <FactsDetail
          label="Note"
          title={sentenceCase(code)}
          description={text}
          facts={[
            ...(path === undefined ? [] : [["File", path] as const]),
            ...(at === undefined ? [] : [["Line", formatExact(at)] as const]),
          ]}
          onClose={onClose}
        />
      )
    }
    case "category":
      return (
        <FactsDetail
          label="Host report"
          title={line.name}
          facts={[["Tokens", `${formatExact(line.tokens)}, counted by the host`]]}
          onClose={onClose}
        />
      )
    default:
      return line satisfies never
  }
}

export function ChangeDetail({ change, onClose }: Close & { readonly change: CaptureChange }) {
  const { label, path, tokensBefore, tokensAfter, lines } = change
  return (
    <Detail label="Change" title={label} onClose={onClose}>
      <Block>
        <Values>
          <Value name="Path" wrap>
            <Text mono>{visibleLine(path)}</Text>
          </Value>
          <Value name="Change">{change.change}</Value>
          <Value name="Tokens">
            {formatExact(tokensBefore)} to {formatExact(tokensAfter)},{" "}
            {signed(tokensAfter - tokensBefore)}
          </Value>
        </Values>
      </Block>
      {lines === undefined || lines.length === 0 ? (
        <RowNote>
          {change.change === "moved" ? "The text is the same." : "Its text was not stored."}
        </RowNote>
      ) : (
        <DiffLines lines={lines} label="Changed lines" />
      )}
    </Detail>
  )
}
