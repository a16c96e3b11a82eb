import { visibleLine } from "../../base/format.ts"
import { plural, type RecipeFolder } from "../../contract.ts"
import { leaveOne, type PageProps, type ParamsProps } from "../../data/params.ts"
import type { RecipesParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import {
  CollectionList,
  CollectionPage,
  FilterHead,
  Loaded,
  NoMatch,
  useListRef,
} from "../../ui/collection/collection.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Header } from "../../ui/frame/frame.tsx"
import {
  NameCell,
  NarrowLine,
  Row,
  type RowOption,
  TableHead,
  TextCell,
} from "../../ui/list/list.tsx"
import { Pane, PaneFoot, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Text } from "../../ui/text/text.tsx"
import { Detail } from "./detail.tsx"
import { useRecipes } from "./use-recipes.ts"
import { ORIGINS, stateOf } from "./words.ts"

export function RecipesPage({ now, params, onParams }: PageProps<RecipesParams>) {
  const isReadOnly = useReadOnly()
  const { show, tab, text } = params
  return (
    <CollectionPage
      name="recipes"
      detailPx={520}
      header={<Header title="Recipes" />}
      list={<ListPane params={params} onParams={onParams} />}
      detail={
        show === "" ? null : (
          <Detail
            key={show}
            now={now}
            slug={show}
            tab={tab}
            isReadOnly={isReadOnly}
            onTab={(to) => onParams({ tab: to }, "replace")}
            onClose={() => onParams({ show: "" })}
          />
        )
      }
      onLeave={leaveOne(onParams, [show !== "", { show: "" }], [text !== "", { text: "", at: "" }])}
    />
  )
}

function ListPane({ params, onParams }: ParamsProps<RecipesParams>) {
  const handle = useListRef()
  const words = params.text.trim().toLowerCase()
  return (
    <Pane label="Recipes">
      <FilterHead
        label="Filter by words"
        text={params.text}
        list={handle}
        onText={(text) => onParams({ text, at: "" }, "replace")}
      />
      <Loaded query={useRecipes()} rows={5}>
        {({ recipes: all }) => {
          if (all.length === 0) {
            return (
              <Empty
                description="This page lists recipes: pipelines of stages, each with a prompt. A recipe is a folder with RECIPE.md, config.json and prompts. Create the first one:"
                command="qm recipe new my-research"
              />
            )
          }
          const recipes = all.filter((it) =>
            `${it.slug} ${it.name} ${it.description}`.toLowerCase().includes(words),
          )
          if (recipes.length === 0) {
            return (
              <NoMatch onShowAll={() => onParams({ text: "" }, "replace")}>
                No recipe matches.
              </NoMatch>
            )
          }
          return (
            <>
              <CollectionList
                ref={handle}
                label="Recipes"
                columns={COLUMNS}
                head={<TableHead labels={HEAD} />}
                items={recipes}
                keyOf={({ slug }) => slug}
                at={params.at}
                openKey="recipes.open"
                onMove={(at) => onParams({ at }, "replace")}
                onOpen={({ slug }) => onParams({ at: slug, show: slug })}
                renderItem={(it, option) => <RecipeRow recipe={it} option={option} />}
              />
              <PaneFoot>
                {plural(recipes.length, "recipe")}. A recipe from a repository runs only after you
                trust its folder.
              </PaneFoot>
            </>
          )
        }}
      </Loaded>
    </Pane>
  )
}

const COLUMNS = {
  full: "14px 168px minmax(0, 1fr) 112px 96px",
  tight: "14px 152px minmax(0, 1fr) 96px",
  narrow: "14px minmax(0, 1fr) max-content",
} as const

const HEAD = [
  { text: "" },
  { text: "Recipe" },
  { text: "Description", from: "roomy" },
  { text: "Origin", from: "wide" },
  { text: "State" },
] as const

function RecipeRow({
  recipe,
  option,
}: {
  readonly recipe: RecipeFolder
  readonly option: RowOption
}) {
  const { label, mark, tone } = stateOf(recipe)
  const description = visibleLine(recipe.description)
  return (
    <Row option={option}>
      <StatusMark status={mark} />
      <Stack>
        <NameCell>
          <Text cut title={visibleLine(recipe.name)}>
            {recipe.slug}
          </Text>
        </NameCell>
        <NarrowLine>{description}</NarrowLine>
      </Stack>
      <TextCell from="roomy" tone="2" cut title={description}>
        {description}
      </TextCell>
      <TextCell from="wide" size="sm" tone="2" cut>
        {ORIGINS[recipe.origin]}
      </TextCell>
      <TextCell size="sm" tone={tone} cut>
        {label}
      </TextCell>
    </Row>
  )
}
