import { formatAge, visibleLine } from "../../base/format.ts"
import { formatCost, PIPELINE_MARKS, PIPELINE_WORDS } from "../../base/status.ts"
import type { ConfigProblem, PipelineLine, RecipeFolder, RecipeShow } from "../../contract.ts"
import { navigate } from "../../data/location.ts"
import { paths, RECIPES_TABS, type RecipesTab } from "../../data/paths.ts"
import { Button, LinkButton } from "../../ui/button/button.tsx"
import { Code } from "../../ui/code/code.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { LoadFailure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { Row, RowNote, RowSkeleton, Rows } from "../../ui/list/list.tsx"
import { Notice } from "../../ui/notice/notice.tsx"
import { Block, DetailHead, Flow, Pane, Stack } from "../../ui/pane/pane.tsx"
import { StatusMark } from "../../ui/status-mark/status-mark.tsx"
import { Tabs } from "../../ui/tabs/tabs.tsx"
import { Text } from "../../ui/text/text.tsx"
import { StagesTab } from "./stages-tab.tsx"
import { useRecipe, useTrust } from "./use-recipes.ts"
import { stateOf } from "./words.ts"

const MISSING = {
  code: "PIPELINE_RECIPE_UNKNOWN",
  text: "No recipe has this name.",
  all: "All recipes",
  href: paths.recipes(),
} as const

type DetailProps = {
  readonly now: number
  readonly slug: string
  readonly tab: RecipesTab
  readonly isReadOnly: boolean
  onTab(tab: RecipesTab): void
  onClose(): void
}

export function Detail({ now, slug, tab, isReadOnly, onTab, onClose }: DetailProps) {
  const { data, error, isPending, refetch } = useRecipe(slug)
  useKey("panel.right", onClose)
  useKey("recipes.tab", () => onTab(nextTab(tab)))
  return (
    <Pane label="The recipe">
      <DetailHead back="Back to the list" onClose={onClose}>
        <Text as="h2" strong cut title={visibleLine(data?.recipe.name ?? slug)}>
          {visibleLine(slug)}
        </Text>
      </DetailHead>
      <LoadFailure error={error} missing={MISSING} onRetry={() => void refetch()} />
      {isPending ? <RowSkeleton rows={8} /> : null}
      {data === undefined ? null : (
        <>
          <About recipe={data.recipe} isReadOnly={isReadOnly} />
          <Tabs
            tabs={[
              {
                id: "stages",
                label: "Stages",
                ...countOf(data),
                content: <StagesTab recipe={data.recipe} />,
              },
              {
                id: "prompts",
                label: "Prompts",
                note: String(data.prompts.length),
                content: <Prompts prompts={data.prompts} />,
              },
              {
                id: "runs",
                label: "Runs",
                note: String(data.runs.length),
                content: <RecipeRuns now={now} runs={data.runs} slug={slug} />,
              },
            ]}
            active={tab}
            onChange={onTab}
          />
        </>
      )}
    </Pane>
  )
}

function nextTab(tab: RecipesTab): RecipesTab {
  return RECIPES_TABS[(RECIPES_TABS.indexOf(tab) + 1) % RECIPES_TABS.length] ?? "stages"
}

function countOf({ recipe }: RecipeShow): { note?: string } {
  return recipe.config === null ? {} : { note: String(recipe.config.stages.length) }
}

type AboutProps = { readonly recipe: RecipeFolder; readonly isReadOnly: boolean }

function About({ recipe, isReadOnly }: AboutProps) {
  const isReady = stateOf(recipe).label === "ready"
  const start = () => navigate(paths.pipelines({ add: true, start: recipe.slug }))
  return (
    <>
      <Untrusted recipe={recipe} isReadOnly={isReadOnly} />
      <Problems problems={recipe.problems} />
      <Block>
        <Stack gap="8">
          <Text as="p" wrap>
            {visibleLine(recipe.description)}
          </Text>
          <Flow wrap>
            <Button
              variant="primary"
              small
              keyId="recipes.start"
              disabled={isReadOnly || !isReady}
              onPress={start}
            >
              Start
            </Button>
            {isReady ? null : (
              <Text size="sm" tone="2">
                {recipe.problems.length > 0
                  ? "Fix the problems of its folder before you start it."
                  : "Trust its folder before you start it."}
              </Text>
            )}
          </Flow>
        </Stack>
      </Block>
    </>
  )
}

function Untrusted({ recipe, isReadOnly }: AboutProps) {
  const trust = useTrust()
  if (recipe.isTrusted) return null
  return (
    <Notice
      tone="warn"
      description={`This folder is part of the repository. Read its stages and prompts, then trust its current content (${recipe.digest.slice(0, 12)}). After a change of any file you must trust it again.`}
    >
      <Button
        small
        disabled={isReadOnly || trust.isPending || recipe.config === null}
        onPress={() => trust.mutate(recipe)}
      >
        Trust
      </Button>
    </Notice>
  )
}

function Problems({ problems }: { readonly problems: readonly ConfigProblem[] }) {
  if (problems.length === 0) return null
  return (
    <Block title="Problems" aside={String(problems.length)}>
      <Stack gap="8">
        {problems.map((it) => (
          <div key={`${it.file} ${it.line} ${it.field} ${it.problem}`}>
            <Text as="div" size="sm" tone="3" wrap mono>
              {formatLocation(it)}
            </Text>
            <Text as="div" tone="bad" wrap>
              {visibleLine(it.problem)}
            </Text>
          </div>
        ))}
      </Stack>
    </Block>
  )
}

/** config.json:42, stage verify, kind. */
export function formatLocation({ file, line, stage, field }: ConfigProblem): string {
  const parts = [`${file}:${line}`, stage === null ? "" : `stage ${stage}`, field]
  return visibleLine(parts.filter((it) => it !== "").join(", "))
}

function Prompts({ prompts }: Pick<RecipeShow, "prompts">) {
  if (prompts.length === 0) return <RowNote>No prompts.</RowNote>
  return prompts.map(({ file, text }) => (
    <Block
      key={file}
      title={visibleLine(file)}
      aside={<CopyIcon text={text} label={`Copy ${visibleLine(file)}`} />}
    >
      <Code text={text} label={visibleLine(file)} />
    </Block>
  ))
}

const COLUMNS = {
  full: "14px minmax(0, 1fr) 72px",
  tight: "14px minmax(0, 1fr) 72px",
  narrow: "14px minmax(0, 1fr) 72px",
} as const

type RecipeRunsProps = {
  readonly now: number
  readonly slug: string
  readonly runs: readonly PipelineLine[]
}

function RecipeRuns({ now, slug, runs }: RecipeRunsProps) {
  if (runs.length === 0) return <RowNote>No runs yet.</RowNote>
  return (
    <>
      <Rows columns={COLUMNS}>
        {runs.map((it) => (
          <Row key={it.id} lines={2} href={paths.pipeline(it.id)}>
            <StatusMark status={PIPELINE_MARKS[it.status]} />
            <Stack>
              <Text as="div" cut title={visibleLine(it.title)}>
                {visibleLine(it.title)}
              </Text>
              <Text as="div" size="sm" tone="2" cut>
                {[it.id, PIPELINE_WORDS[it.status], formatCost(it.cost)].join(", ")}
              </Text>
            </Stack>
            <Text as="div" size="sm" tone="3" align="end" cut>
              {formatAge(it.createdAt, now)}
            </Text>
          </Row>
        ))}
      </Rows>
      <RowNote>
        <LinkButton variant="ghost" small href={paths.pipelines({ agent: slug })}>
          All runs of {slug}
        </LinkButton>
      </RowNote>
    </>
  )
}
