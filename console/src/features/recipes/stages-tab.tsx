import { formatUsd } from "#ground/base/format"
import { visibleLine } from "../../base/format.ts"
import { plural, type RecipeFolder, type StageConfig } from "../../contract.ts"
import { RowNote } from "../../ui/list/list.tsx"
import { Block, Flow, Stack, Value, Values } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { useSources } from "./use-recipes.ts"
import {
  describeScope,
  describeSource,
  describeStage,
  formatBudget,
  ORIGINS,
  pausesAfter,
} from "./words.ts"

export function StagesTab({ recipe }: { readonly recipe: RecipeFolder }) {
  const { config } = recipe
  return (
    <>
      {config === null ? (
        <RowNote>config.json is invalid; see the problems above.</RowNote>
      ) : (
        config.stages.map((it, i) => (
          <Stage key={it.name} recipe={recipe} stage={it} number={i + 1} />
        ))
      )}
      <Folder recipe={recipe} />
    </>
  )
}

type StageProps = {
  readonly recipe: RecipeFolder
  readonly stage: StageConfig
  readonly number: number
}

function Stage({ recipe, stage, number }: StageProps) {
  const unit = recipe.config?.repairUnits.find((it) => isIn(recipe, it.stages, stage.name))
  return (
    <Block title={`${number}. ${visibleLine(stage.title)}`} aside={formatBudget(stage)}>
      <Stack>
        <Text as="div" size="sm" tone="2" wrap>
          {describeStage(stage)}
        </Text>
        <Text as="div" size="sm" tone="3" wrap>
          May use: {describeScope(stage)}
        </Text>
        {pausesAfter(recipe, stage) ? (
          <Text as="div" size="sm" tone="warn" wrap>
            Then pauses{stage.question === undefined ? "" : `: ${visibleLine(stage.question)}`}
          </Text>
        ) : null}
        {unit === undefined ? null : (
          <Text as="div" size="sm" tone="3" wrap>
            Repaired with feedback, {describeRounds(recipe, unit.maxIterations)}
          </Text>
        )}
      </Stack>
    </Block>
  )
}

/** A run repairs at most as often as its depth allows. */
function describeRounds({ config }: RecipeFolder, most: number): string {
  const depths = Object.entries(config?.depths ?? {})
  const isLower = depths.some(([, { repairs }]) => repairs < most)
  const each = depths.map(
    ([name, { repairs }]) => `${visibleLine(name)} ${Math.min(repairs, most)}`,
  )
  return `at most ${plural(most, "round")}${isLower ? `, by depth: ${each.join(", ")}` : ""}`
}

function isIn(
  { config }: RecipeFolder,
  [first, last]: readonly [string, string],
  name: string,
): boolean {
  const names = config?.stages.map((it) => it.name) ?? []
  const at = names.indexOf(name)
  return names.indexOf(first) <= at && at <= names.indexOf(last)
}

function Folder({ recipe }: { readonly recipe: RecipeFolder }) {
  const { config, sources, tools, origin, folder, digest } = recipe
  const allSources = useSources(sources.length > 0)
  return (
    <Block title="Folder">
      <Values>
        <Value name="Origin">{ORIGINS[origin]}</Value>
        <Value name="Folder" wrap>
          <Text mono>{visibleLine(folder)}</Text>
        </Value>
        {config?.budgetUsd === undefined ? null : (
          <Value name="Budget">{formatUsd(config.budgetUsd)} a run</Value>
        )}
        {config === null || Object.keys(config.depths).length === 0 ? null : (
          <Value name="Depths">{Object.keys(config.depths).map(visibleLine).join(", ")}</Value>
        )}
        {sources.map((it) => (
          <Value key={it} name="Source">
            <Flow>
              {visibleLine(it)}
              <Text tone="3">{describeSource(it, allSources.data?.sources)}</Text>
            </Flow>
          </Value>
        ))}
        {tools.length === 0 ? null : (
          <Value name="Tools" wrap>
            {tools.map(visibleLine).join(", ")}
          </Value>
        )}
        <Value name="Digest" wrap>
          <Text mono>{visibleLine(digest)}</Text>
        </Value>
      </Values>
    </Block>
  )
}
