import { type KeyboardEvent, useEffect, useRef, useState } from "react"
import { asRecord } from "#ground/base/object"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import {
  type Depth,
  type PipelineRun,
  plural,
  type RecipeFolder,
  type WireError,
} from "../../contract.ts"
import type { Input } from "../../data/client.ts"
import { PIPELINE_DEPTHS, paths } from "../../data/paths.ts"
import { Button, IconButton, LinkButton } from "../../ui/button/button.tsx"
import { AreaEntry, EntryActions, EntryForm, PickEntry, TextEntry } from "../../ui/entry/entry.tsx"
import { Failure } from "../../ui/failure/failure.tsx"
import { ChoiceField } from "../../ui/field/field.tsx"
import { Kbd } from "../../ui/kbd/kbd.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { Pane, PaneHead, PaneScroll, Stack } from "../../ui/pane/pane.tsx"
import { Text } from "../../ui/text/text.tsx"
import { startProblem } from "./lines.ts"
import { useRecipes, useStart } from "./use-pipelines.ts"

type NewRunProps = {
  readonly draft: RunDraft
  readonly isReadOnly: boolean
  onDraft(draft: RunDraft): void
  onStarted(run: PipelineRun): void
  onClose(): void
}

export function NewRun({ draft, isReadOnly, onDraft, onStarted, onClose }: NewRunProps) {
  const query = useRef<HTMLTextAreaElement>(null)
  useEffect(() => query.current?.focus(), [])
  const recipes = useRecipes()
  const chosen = recipes.data?.recipes.find((it) => it.slug === draft.agent)
  const reason = chosen === undefined ? undefined : startProblem(chosen)
  const { start, isPending, problems, error } = useChecked(draft, onStarted)
  const isOff = isReadOnly || isPending || reason !== undefined
  const set = (change: Partial<RunDraft>) => onDraft({ ...draft, ...change })
  const press = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      if (!isOff) start()
    }
    if (event.key === "Escape") onClose()
  }
  return (
    <Pane ground="canvas" label="New run">
      <PaneHead
        actions={<IconButton small icon="close" label="Close" keyId="leave" onPress={onClose} />}
      >
        <Text strong>New run</Text>
      </PaneHead>
      <PaneScroll onKeyDown={press}>
        <EntryForm>
          <AreaEntry
            ref={query}
            label="Question"
            rows={4}
            value={draft.query}
            problem={problems.query}
            onChange={(text) => set({ query: text })}
          />
          <RecipeEntry
            recipes={recipes.data?.recipes}
            isPending={recipes.isPending}
            chosen={chosen}
            draft={draft}
            problems={problems}
            set={set}
          />
          <DepthEntry chosen={chosen} draft={draft} set={set} />
          <TextEntry
            label="Budget in USD"
            kind="number"
            value={draft.budget}
            placeholder={chosen?.config?.budgetUsd?.toFixed(2) ?? "default"}
            problem={problems.budget}
            description="The run stops before a call that would exceed it."
            onChange={(budget) => set({ budget })}
          />
          {recipes.error === null ? null : (
            <Failure
              size="pane"
              error={toWireError(recipes.error)}
              onRetry={() => void recipes.refetch()}
            />
          )}
          {error === undefined ? null : <Failure size="pane" error={error} />}
          <EntryActions>
            <Button variant="primary" disabled={isOff} onPress={start}>
              {isPending ? "Starting" : "Start"}
            </Button>
            <Kbd keys="mod+Enter" />
            {isReadOnly ? <Text tone="2">This page is read only.</Text> : null}
            {reason === undefined || chosen === undefined ? null : (
              <CannotStart recipe={chosen} reason={reason} />
            )}
          </EntryActions>
        </EntryForm>
      </PaneScroll>
    </Pane>
  )
}

function CannotStart({
  recipe,
  reason,
}: {
  readonly recipe: RecipeFolder
  readonly reason: string
}) {
  return (
    <>
      <Text tone="warn">
        {recipe.slug} cannot be started: {reason}.
      </Text>
      <LinkButton
        variant="ghost"
        small
        href={paths.recipes({ at: recipe.slug, show: recipe.slug })}
      >
        Show details
      </LinkButton>
    </>
  )
}

function useChecked(draft: RunDraft, onStarted: (run: PipelineRun) => void) {
  const [wrong, setWrong] = useState<Problems>({})
  const begin = useStart(onStarted)
  const refusal = begin.error === null ? undefined : toWireError(begin.error)
  const refused = refusal === undefined ? {} : problemsOf(refusal)
  const start = () => {
    const checked = checkDraft(draft)
    setWrong(checked.kind === "wrong" ? checked.problems : {})
    if (checked.kind === "right") begin.mutate(checked.input)
    else begin.reset()
  }
  return {
    start,
    isPending: begin.isPending,
    problems: { ...refused, ...wrong },
    error: Object.keys(refused).length > 0 ? undefined : refusal,
  }
}

type EntryProps = {
  readonly chosen: RecipeFolder | undefined
  readonly draft: RunDraft
  set(change: Partial<RunDraft>): void
}

type RecipeEntryProps = EntryProps & {
  readonly recipes: readonly RecipeFolder[] | undefined
  readonly isPending: boolean
  readonly problems: Problems
}

function RecipeEntry({ recipes, isPending, chosen, draft, problems, set }: RecipeEntryProps) {
  if (recipes === undefined) return isPending ? <RowSkeleton rows={3} /> : null
  return (
    <PickEntry
      label="Recipe"
      choices={recipes.map((recipe) => {
        const reason = startProblem(recipe)
        const detail = reason ?? plural(recipe.config?.stages.length ?? 0, "stage")
        return { value: recipe.slug, label: recipe.slug, detail, isMissing: reason !== undefined }
      })}
      value={draft.agent}
      problem={problems.agent}
      {...(chosen === undefined ? {} : { description: visibleLine(chosen.description) })}
      onPick={(agent) => set({ agent })}
    />
  )
}

function DepthEntry({ chosen, draft, set }: EntryProps) {
  return (
    <Stack gap="8">
      <Text size="sm" tone="2">
        Depth
      </Text>
      <ChoiceField
        label="Depth"
        choices={PIPELINE_DEPTHS.map((value) => ({ value, label: value }))}
        value={draft.depth}
        onPick={(value) =>
          set({ depth: PIPELINE_DEPTHS.find((it) => it === value) ?? draft.depth })
        }
      />
      {chosen === undefined ? null : (
        <Text as="p" size="sm" tone="2">
          {describeDepth(chosen, draft.depth)}
        </Text>
      )}
    </Stack>
  )
}

function describeDepth(recipe: RecipeFolder, depth: RunDraft["depth"]): string {
  const config = recipe.config?.depths[depth]
  if (config === undefined) return "Depth of the research; this recipe defines no limits for it."
  return [
    plural(config.subQueries, "query", "queries"),
    plural(config.paragraphs, "paragraph"),
    plural(config.repairs, "repair"),
    `${plural(config.contextTokens, "token")} of context`,
    config.web ? "with the web" : "without the web",
  ].join(", ")
}

type RunDraft = {
  readonly agent: string
  readonly query: string
  readonly depth: Depth
  /** US dollars as typed; empty for the recipe's default. */
  readonly budget: string
}

type Field = "agent" | "query" | "budget"
type Problems = Partial<Readonly<Record<Field, string>>>

export const emptyDraft = (agent: string): RunDraft => ({
  agent,
  query: "",
  depth: "standard",
  budget: "",
})

type RunCheck =
  | { readonly kind: "wrong"; readonly problems: Problems }
  | { readonly kind: "right"; readonly input: Input<"pipeline.run"> }

export function checkDraft(draft: RunDraft): RunCheck {
  const budget = Number(draft.budget.replace(",", ".").trim())
  const hasBudget = draft.budget.trim() !== ""
  const problems: Problems = {
    ...(draft.agent === "" ? { agent: "Choose a recipe." } : {}),
    ...(draft.query.trim() === "" ? { query: "A question is required." } : {}),
    ...(hasBudget && !(budget > 0) ? { budget: "Must be a number above 0, such as 1.50." } : {}),
  }
  if (Object.keys(problems).length > 0) return { kind: "wrong", problems }
  return {
    kind: "right",
    input: {
      agent: draft.agent,
      query: draft.query.trim(),
      depth: draft.depth,
      ...(hasBudget ? { budget } : {}),
    },
  }
}

const FIELD_OF_CODE: Readonly<Record<string, Field>> = {
  PIPELINE_RECIPE_UNKNOWN: "agent",
  PIPELINE_RECIPE_INVALID: "agent",
  PIPELINE_RECIPE_UNTRUSTED: "agent",
}
const FIELDS: readonly Field[] = ["agent", "query", "budget"]

export function problemsOf({ code, message, data }: WireError): Problems {
  const { field: named } = asRecord(data)
  const field = FIELD_OF_CODE[code] ?? FIELDS.find((it) => it === named)
  return field === undefined ? {} : { [field]: message }
}
