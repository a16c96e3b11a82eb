import { visibleLine } from "../../base/format.ts"
import { type DefinitionText, formatExact, plural } from "../../contract.ts"
import { leaveOne, type PageProps, type ParamsProps } from "../../data/params.ts"
import type { SkillsParams } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { Bullets } from "../../ui/bullets/bullets.tsx"
import {
  CollectionList,
  CollectionPage,
  FilterHead,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import {
  NameCell,
  NarrowLine,
  Row,
  type RowOption,
  TableHead,
  TextCell,
} from "../../ui/list/list.tsx"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Block, DetailHead, Pane, PaneFoot, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { type SkillLine, skillLines } from "./lines.ts"

export function SkillsPage({ params, onParams }: PageProps<SkillsParams>) {
  const { show, text } = params
  return (
    <CollectionPage
      name="skills"
      detailPx={520}
      header={<Header title="Skills" />}
      list={<ListPane params={params} onParams={onParams} />}
      detail={
        show === "" ? null : (
          <Detail key={show} name={show} onClose={() => onParams({ show: "" })} />
        )
      }
      onLeave={leaveOne(onParams, [show !== "", { show: "" }], [text !== "", { text: "", at: "" }])}
    />
  )
}

function ListPane({ params, onParams }: ParamsProps<SkillsParams>) {
  const handle = useListRef()
  const own = useOperation("forge.check", {})
  const words = params.text.trim().toLowerCase()
  return (
    <Pane label="Skills">
      <FilterHead
        label="Filter by words"
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text, at: "" }, "replace")}
      />
      <Loaded query={useOperation("packs.list", {})} rows={8}>
        {(packs) => {
          const all = skillLines(own.data?.files ?? [], packs)
          const lines = all.filter((it) =>
            `${it.name} ${it.kind} ${it.place} ${it.description}`.toLowerCase().includes(words),
          )
          if (lines.length === 0) {
            return (
              <NoMatch onShowAll={() => onParams({ text: "" }, "replace")}>
                No skill matches.
              </NoMatch>
            )
          }
          return (
            <>
              <CollectionList
                ref={handle}
                label="Skills"
                columns={COLUMNS}
                head={<TableHead labels={HEAD} />}
                items={lines}
                keyOf={({ key }) => key}
                at={params.at}
                openKey="skills.open"
                onMove={(at) => onParams({ at }, "replace")}
                onOpen={({ key, name }) => onParams({ at: key, show: name })}
                renderItem={(it, option) => <SkillRow line={it} option={option} />}
              />
              <PaneFoot>
                {plural(lines.length, "definition")}, {formatExact(packs.startTokens)} tokens of the
                kit at the start of a session. Run qm packs to add and remove packs.
              </PaneFoot>
            </>
          )
        }}
      </Loaded>
    </Pane>
  )
}

const COLUMNS = {
  full: "14px 176px minmax(0, 1fr) 88px 136px",
  tight: "14px 160px minmax(0, 1fr) 88px",
  narrow: "14px minmax(0, 1fr) max-content",
} as const

const HEAD = [
  { text: "" },
  { text: "Name" },
  { text: "Use", from: "roomy" },
  { text: "Kind" },
  { text: "From", from: "wide" },
] as const

type SkillRowProps = { readonly line: SkillLine; readonly option: RowOption }

function SkillRow({ line, option }: SkillRowProps) {
  const description = visibleLine(line.description)
  return (
    <Row option={option}>
      <StatusMark status={line.mark} />
      <Stack>
        <NameCell>
          <Text cut>{visibleLine(line.name)}</Text>
        </NameCell>
        <NarrowLine>{description}</NarrowLine>
      </Stack>
      <TextCell from="roomy" tone="2" cut title={description}>
        {description}
      </TextCell>
      <TextCell size="sm" tone="2" cut>
        {line.kind}
      </TextCell>
      <TextCell from="wide" size="sm" tone="2" cut title={line.place}>
        {visibleLine(line.place)}
      </TextCell>
    </Row>
  )
}

function Detail({ name, onClose }: { readonly name: string; onClose(): void }) {
  return (
    <Pane label="Skill">
      <DetailHead back="Skills" onClose={onClose}>
        <Text strong cut>
          {visibleLine(name)}
        </Text>
      </DetailHead>
      <Loaded query={useOperation("forge.show", { name })} rows={8}>
        {(skill) => (
          <PaneScroll>
            <About skill={skill} />
            <Block>
              <Markdown text={skill.text} />
            </Block>
          </PaneScroll>
        )}
      </Loaded>
    </Pane>
  )
}

function About({ skill }: { readonly skill: DefinitionText }) {
  const { kind, path, pack, level, tokens, problems } = skill
  const place = path ?? `kit, pack ${pack ?? ""}, from level ${level ?? 1}`
  return (
    <Block>
      <Stack gap="8">
        <Text as="p" wrap>
          {visibleLine(skill.description)}
        </Text>
        <Text as="p" size="sm" tone="3" wrap>
          {kind}, {visibleLine(place)}, {plural(tokens, "token")} at the start
        </Text>
        {problems.length === 0 ? null : <Bullets lines={problems.map(visibleLine)} />}
      </Stack>
    </Block>
  )
}
