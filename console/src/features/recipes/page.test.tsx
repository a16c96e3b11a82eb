import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import { failure } from "../../base/errors.ts"
import type { RecipeFolder, RecipeShow } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { recipesParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { formatLocation } from "./detail.tsx"
import { RecipesPage } from "./page.tsx"
import { aRecipe, NOW } from "./recipes.fixture.ts"
import { stateOf } from "./words.ts"

type RecipesPageData = {
  readonly recipes?: readonly RecipeFolder[]
  readonly shown?: Partial<RecipeShow> & { readonly recipe: RecipeFolder }
  readonly isReadOnly?: boolean
  readonly queries?: QueryClient
}

function markupOf(
  address: string,
  { recipes, shown, isReadOnly, queries = new QueryClient() }: RecipesPageData,
) {
  const params = recipesParams.parse(address)
  if (recipes !== undefined) queries.setQueryData(keys.operation("recipe.list", {}), { recipes })
  if (shown !== undefined) {
    const answer = { prompts: [], runs: [], ...shown }
    queries.setQueryData(keys.operation("recipe.show", { slug: params.show }), answer)
  }
  if (isReadOnly === true) queries.setQueryData(keys.session, { readOnly: true })
  return renderPage(queries, <RecipesPage now={NOW} params={params} onParams={() => undefined} />)
}

const render = (address: string, data: RecipesPageData) => textOf(markupOf(address, data))

describe("page Recipes", () => {
  it("[CONSOLE-56] stages show their purpose, tools, budget, pauses and repair targets", () => {
    const recipe = aRecipe("deep-research")
    const text = render("?show=deep-research", { recipes: [recipe], shown: { recipe } })
    expect(text).toMatch(/1\. plan .*Asks a model once May use: only the model Then pauses/)
    expect(text).toContain("Repaired with feedback, at most 2 rounds")
    expect(text).toContain("Budget $3.00 a run")
    expect(text).toContain("Digest sha256:5f2c81d07be4")
  })

  it("[CONSOLE-56] a repair limit that depends on the depth names each depth", () => {
    const recipe = aRecipe("deep-research")
    const depth = { subQueries: 4, paragraphs: 2, contextTokens: 4_000, web: false }
    const depths = { quick: { ...depth, repairs: 0 }, deep: { ...depth, repairs: 3 } }
    const config = recipe.config === null ? null : { ...recipe.config, depths }
    const text = render("?show=deep-research", {
      recipes: [],
      shown: { recipe: { ...recipe, config } },
    })
    expect(text).toContain("Repaired with feedback, at most 2 rounds, by depth: quick 0, deep 2")
  })

  it("the title counts the recipes", () => {
    const recipes = [aRecipe("dev-loop"), aRecipe("deep-research")]
    expect(render("", { recipes })).toContain("Recipes 2 recipes")
  })

  it("[CONSOLE-56] prompts are shown verbatim, and runs link to their pages", () => {
    const recipe = aRecipe("deep-research")
    const prompts = [{ file: "plan.md", text: "Split <b>it</b> \u202E." }]
    const html = markupOf("?show=deep-research&tab=prompts", {
      recipes: [],
      shown: { recipe, prompts },
    })
    expect(html).toContain("Split &lt;b&gt;it&lt;/b&gt; \\u{202e}.")
    const none = render("?show=deep-research&tab=runs", { recipes: [], shown: { recipe } })
    expect(none).toContain("No runs yet.")
  })

  it("[CONSOLE-56] a recipe of a repository is trusted by the digest of its files and cannot be started before", () => {
    const recipe = aRecipe("mine", { origin: "project", isTrusted: false })
    const html = markupOf("?show=mine", { recipes: [recipe], shown: { recipe } })
    expect(textOf(html)).toContain(
      "trust its current content (sha256:5f2c8). After a change of any file you must trust it again. Trust",
    )
    expect(html).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Start</)
    expect(textOf(html)).toContain("Trust its folder before you start it.")
    const readOnly = markupOf("?show=mine", {
      recipes: [recipe],
      shown: { recipe },
      isReadOnly: true,
    })
    expect(readOnly).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Trust</)
  })

  it("[CONSOLE-56] problems name file, line, stage and field", () => {
    const problem = {
      file: "config.json",
      line: 14,
      stage: "verify",
      field: "kind",
      problem: "It is `verfy`.",
    }
    const recipe = aRecipe("broken", { config: null, problems: [problem] })
    const text = render("?show=broken", { recipes: [recipe], shown: { recipe } })
    expect(text).toContain("config.json:14, stage verify, kind It is `verfy`.")
    expect(text).toContain("config.json is invalid")
    expect(formatLocation({ ...problem, stage: null })).toBe("config.json:14, kind")
    expect(stateOf(recipe)).toMatchObject({ label: "1 problem", tone: "bad" })
  })

  it("[CONSOLE-15] an empty list, an empty search result and an error have different texts", async () => {
    expect(render("", { recipes: [] })).toContain("$ qm recipe new my-research")
    expect(render("?text=zz", { recipes: [aRecipe("a")] })).toContain("No recipe matches. Show all")
    const queries = new QueryClient({
      defaultOptions: { queries: { retry: false, retryOnMount: false } },
    })
    const error = failure({
      code: "PIPELINE_RECIPE_UNKNOWN",
      message: "No recipe",
      hint: "x",
      data: {},
    })
    const queryKey = keys.operation("recipe.show", { slug: "nobody" })
    await queries.prefetchQuery({ queryKey, queryFn: () => Promise.reject(error) })
    expect(render("?show=nobody", { recipes: [], queries })).toContain("No recipe")
  })
})
