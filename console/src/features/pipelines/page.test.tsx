import { QueryClient } from "@tanstack/react-query"
import { describe, expect, it } from "vitest"
import { failure } from "../../base/errors.ts"
import type { PipelineLine, RecipeFolder } from "../../contract.ts"
import { keys } from "../../data/keys.ts"
import { pipelinesParams } from "../../data/paths.ts"
import { renderPage, textOf } from "../../test-page.tsx"
import { PipelinesPage } from "./page.tsx"
import { aLine, aRecipe, NOW } from "./pipelines.fixture.ts"
import { LIST_INPUT } from "./use-pipelines.ts"

type PipelinesPageData = {
  readonly runs?: readonly PipelineLine[]
  readonly recipes?: readonly RecipeFolder[]
  readonly isReadOnly?: boolean
  readonly queries?: QueryClient
}

function markupOf(
  address: string,
  { runs, recipes, isReadOnly, queries = new QueryClient() }: PipelinesPageData,
) {
  if (runs !== undefined)
    queries.setQueryData(keys.operation("pipeline.list", LIST_INPUT), { runs })
  if (recipes !== undefined) queries.setQueryData(keys.operation("recipe.list", {}), { recipes })
  if (isReadOnly === true) queries.setQueryData(keys.session, { readOnly: true })
  return renderPage(
    queries,
    <PipelinesPage now={NOW} params={pipelinesParams.parse(address)} onParams={() => undefined} />,
  )
}

const render = (address: string, data: PipelinesPageData) => textOf(markupOf(address, data))

describe("page Pipelines", () => {
  it("[CONSOLE-15] the empty page says what it shows and offers the example as one button", () => {
    const text = render("", { runs: [], recipes: [aRecipe("deep-research")] })
    expect(text).toContain("This page lists pipeline runs")
    expect(text).toContain("$ qm pipeline run deep-research")
    expect(text).toContain("Start the example")
    const html = markupOf("", {
      runs: [],
      recipes: [aRecipe("deep-research", { isTrusted: false })],
    })
    expect(html).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Start the example</)
    expect(render("", { runs: [], isReadOnly: true })).not.toContain("Start the example")
    expect(render("", {}), "unknown is not empty").not.toContain("This page lists")
  })

  it("[CONSOLE-15] no run of a status, no match and no run at all have different texts", () => {
    const runs = [aLine("p-1")]
    for (const address of ["?status=paused", "?text=zzz", "?agent=other"]) {
      expect(render(address, { runs })).toContain("No run matches. Show all runs")
    }
  })

  it("the filters count the runs that match the text and the agent", () => {
    const runs = [
      aLine("p-1"),
      aLine("p-2", { status: "paused" }),
      aLine("p-3", { agent: "dev-loop" }),
    ]
    const text = render("", { runs })
    expect(text).toContain("3 runs")
    expect(text).toMatch(/All 3 Paused 1 Running 0 Completed 2 Ended early 0/)
    expect(render("?agent=dev-loop", { runs })).toMatch(/All 1 Paused 0/)
  })

  it("the form shows the limits of a depth and why a recipe cannot be started", () => {
    const recipes = [
      aRecipe("deep-research"),
      aRecipe("mine", { isTrusted: false }),
      aRecipe("broken", { config: null, problems: [] }),
    ]
    const text = render("?add=yes", { runs: [], recipes })
    expect(text).toContain("Question")
    expect(text).toContain("this recipe defines no limits for it")
    expect(text).toMatch(/mine not trusted yet broken its folder has 1 problem/)
    const html = markupOf("?add=yes&start=mine", { runs: [], recipes })
    expect(textOf(html)).toContain("mine cannot be started: not trusted yet.")
    expect(html).toContain('href="/recipes?at=mine&amp;show=mine"')
    expect(html).toMatch(/<button[^>]*disabled=""[^>]*><span[^>]*>Start</)
    expect(render("?add=yes", { runs: [], recipes, isReadOnly: true })).toContain(
      "This page is read only.",
    )
  })

  it("[CONSOLE-15] an error says what happened and offers a retry", async () => {
    const queries = new QueryClient({
      defaultOptions: { queries: { retry: false, retryOnMount: false } },
    })
    const error = failure({
      code: "STORE_DISK_FULL",
      message: "The disk is full",
      hint: "x",
      data: {},
    })
    const queryKey = keys.operation("pipeline.list", LIST_INPUT)
    await queries.prefetchQuery({ queryKey, queryFn: () => Promise.reject(error) })
    const text = render("", { queries })
    expect(text).toContain("The disk is full")
    expect(text).toContain("Try again")
  })
})
