import { plural, type RecipeFolder } from "../../contract.ts"
import type { PageProps } from "../../data/params.ts"
import type { RecipesParams } from "../../data/paths.ts"
import { useReadOnly } from "../../data/queries.tsx"
import { type DefinitionLine, DefinitionPage } from "../../ui/collection/definition-page.tsx"
import { Empty } from "../../ui/empty/empty.tsx"
import { Detail } from "./detail.tsx"
import { useRecipes } from "./use-recipes.ts"
import { ORIGINS, stateOf } from "./words.ts"

export function RecipesPage({ now, params, onParams }: PageProps<RecipesParams>) {
  const isReadOnly = useReadOnly()
  const { show, tab } = params
  return (
    <DefinitionPage
      name="recipes"
      title="Recipes"
      noun="recipe"
      columns={{ name: "Recipe", use: "Description", origin: "Origin", state: "State" }}
      openKey="recipes.open"
      query={useRecipes()}
      params={params}
      onParams={onParams}
      empty={
        <Empty
          description="This page lists recipes: pipelines of stages, each with a prompt. A recipe is a folder with RECIPE.md, config.json and prompts. Create the first one:"
          command="qm recipe new my-research"
        />
      }
      linesOf={({ recipes }) => recipes.map(lineOf)}
      foot={(_, count) =>
        `${plural(count, "recipe")}. A recipe from a repository runs only after you trust its folder.`
      }
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
    />
  )
}

function lineOf(recipe: RecipeFolder): DefinitionLine {
  const { slug, name, description, origin } = recipe
  const { mark, ...state } = stateOf(recipe)
  return {
    key: slug,
    show: slug,
    mark,
    name: slug,
    title: name,
    description,
    origin: ORIGINS[origin],
    state,
  }
}
