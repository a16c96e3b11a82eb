import { visibleLine } from "../../base/format.ts"
import { type DefinitionText, formatExact, plural } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import type { SkillsParams } from "../../data/paths.ts"
import { paths } from "../../data/paths.ts"
import { useOperation } from "../../data/queries.tsx"
import { Bullets } from "../../ui/bullets/bullets.tsx"
import { Loaded } from "../../ui/collection/collection.tsx"
import { DefinitionPage } from "../../ui/collection/definition-page.tsx"
import { Markdown } from "../../ui/markdown/markdown.tsx"
import { Block, DetailHead, Pane, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { skillLines } from "./lines.ts"

export function SkillsPage({ params, onParams }: PageProps<SkillsParams>) {
  const own = useOperation("forge.check", {})
  const { show } = params
  return (
    <DefinitionPage
      name="skills"
      title="Skills"
      noun="definition"
      columns={{ name: "Name", use: "Use", origin: "From", state: "Kind" }}
      openKey="skills.open"
      query={useOperation("packs.list", {})}
      params={params}
      onParams={onParams}
      linesOf={(packs) => skillLines(own.data?.files ?? [], packs)}
      foot={(packs, count) =>
        `${plural(count, "definition")}, ${formatExact(packs.startTokens)} tokens of the kit at the start of a session. Run qm packs to add and remove packs.`
      }
      detail={
        show === "" ? null : (
          <Detail key={show} name={show} onClose={() => onParams({ show: "" })} />
        )
      }
    />
  )
}

const MISSING = {
  code: "KIT_DEFINITION_UNKNOWN",
  text: "No skill has this name.",
  all: "All skills",
  href: paths.skills(),
} as const

function Detail({ name, onClose }: { readonly name: string; onClose(): void }) {
  return (
    <Pane label="Skill">
      <DetailHead back="Skills" onClose={onClose}>
        <Text strong cut>
          {visibleLine(name)}
        </Text>
      </DetailHead>
      <Loaded query={useOperation("forge.show", { name })} rows={8} missing={MISSING}>
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
