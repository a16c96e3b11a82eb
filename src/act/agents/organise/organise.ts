import { z } from "zod"
import {
  type Handlers,
  OrganisedLabel,
  OrganisedState,
  OrganisedView,
  type Organising,
  type organiseOperations,
  type ParsedInput,
} from "#ground/contract"
import { type Db, jsonColumn, type Sql, sql, type Tx } from "#ground/store"
import { LabelCircle, LabelParentUnknown, OrganisingFull, StateAfterUnknown } from "../errors.ts"

const MOST_STATES = 20
const MOST_LABELS = 200
const MOST_VIEWS = 50
const DEEPEST_LABEL = 6

/** Used until the user changes one of them. */
const DEFAULT_STATES: readonly OrganisedState[] = [
  { name: "todo", colour: "grey", isEnd: false },
  { name: "in progress", colour: "blue", isEnd: false },
  { name: "needs review", colour: "yellow", isEnd: false },
  { name: "done", colour: "green", isEnd: true },
]

const Row = z.object({
  kind: z.enum(["state", "label", "view"]),
  name: z.string(),
  body: jsonColumn(z.record(z.string(), z.unknown())),
})
type Kind = z.infer<typeof Row>["kind"]

const selectAll: Sql = sql`SELECT kind, name, body FROM run_organising ORDER BY position, name`

type Deps = { readonly db: Db<"agents">; redact(text: string): string }

type RunOrganising = ReturnType<typeof createOrganising>

/** Workflow states, label definitions and saved views; each change replaces one kind as a whole. */
export function createOrganising({ db, redact }: Deps) {
  async function show(): Promise<Organising> {
    return organisingOf(await db.all(Row, selectAll))
  }
  async function change<One extends { readonly name: string }>(
    kind: Kind,
    make: (now: Organising) => readonly One[],
  ): Promise<Organising> {
    await db.transaction(async (tx) => {
      const now = organisingOf(await tx.all(Row, selectAll))
      await replace(tx, kind, make(now))
      tx.emit("agents.organised", { kind })
    })
    return show()
  }
  const cleaned = (text: string | undefined) => (text === undefined ? undefined : redact(text))
  return {
    show,
    state: (input: ParsedInput<"organise.state">) =>
      change("state", (now) =>
        withState(now.states, {
          ...input,
          name: redact(input.name),
          after: cleaned(input.after),
        }),
      ),
    label: (input: ParsedInput<"organise.label">) =>
      change("label", (now) =>
        withLabel(now.labels, {
          ...input,
          name: redact(input.name),
          parent: cleaned(input.parent),
        }),
      ),
    view: (input: ParsedInput<"organise.view">) =>
      change("view", (now) =>
        withView(now.views, {
          ...input,
          name: redact(input.name),
          filter: cleaned(input.filter),
        }),
      ),
    /** The label and the labels below it, for a filter. */
    async labelsBelow(name: string): Promise<readonly string[]> {
      return below((await show()).labels, name)
    },
  }
}

function organisingOf(rows: readonly z.output<typeof Row>[]): Organising {
  const parsed = <One>(kind: Kind, shape: z.ZodType<One>): One[] =>
    rows
      .filter((it) => it.kind === kind)
      .flatMap(({ name, body }) => shape.safeParse({ ...body, name }).data ?? [])
  const states = parsed("state", OrganisedState)
  return {
    states: states.length === 0 ? [...DEFAULT_STATES] : states,
    areStatesOwn: states.length > 0,
    labels: parsed("label", OrganisedLabel),
    views: parsed("view", OrganisedView),
  }
}

async function replace(
  tx: Tx<"agents">,
  kind: Kind,
  all: readonly { readonly name: string }[],
): Promise<void> {
  await tx.run(sql`DELETE FROM run_organising WHERE kind = ${kind}`)
  for (const [position, { name, ...body }] of all.entries()) {
    await tx.run(sql`INSERT INTO run_organising (kind, name, body, position)
      VALUES (${kind}, ${name}, ${JSON.stringify(body)}, ${position})`)
  }
}

function withState(
  states: readonly OrganisedState[],
  { name, colour, end, after, remove }: ParsedInput<"organise.state">,
): readonly OrganisedState[] {
  const before = states.find((it) => it.name === name)
  const others = states.filter((it) => it.name !== name)
  if (remove) return others
  if (others.length >= MOST_STATES) throw OrganisingFull({ what: "states", most: MOST_STATES })
  const state = {
    name,
    colour: colour ?? before?.colour ?? "grey",
    isEnd: end ?? before?.isEnd ?? false,
  }
  if (after === undefined && before !== undefined) {
    return states.map((it) => (it.name === name ? state : it))
  }
  if (after === undefined) return [...others, state]
  const at = others.findIndex((it) => it.name === after)
  if (at === -1) throw StateAfterUnknown({ name: after, known: others.map((it) => it.name) })
  return [...others.slice(0, at + 1), state, ...others.slice(at + 1)]
}

function withLabel(
  labels: readonly OrganisedLabel[],
  { name, colour, parent, remove }: ParsedInput<"organise.label">,
): readonly OrganisedLabel[] {
  const before = labels.find((it) => it.name === name)
  const others = labels.filter((it) => it.name !== name)
  if (remove) return others.map((it) => (it.parent === name ? { ...it, parent: null } : it))
  if (others.length >= MOST_LABELS) throw OrganisingFull({ what: "labels", most: MOST_LABELS })
  const named = parent === "" ? null : parent
  const above = named === undefined ? (before?.parent ?? null) : named
  if (above !== null && !others.some((it) => it.name === above)) {
    throw LabelParentUnknown({ name, parent: above })
  }
  const label = { name, colour: colour ?? before?.colour ?? "grey", parent: above }
  const next = [...others, label]
  if (chainOf(next, name).length > DEEPEST_LABEL) throw LabelCircle({ name, most: DEEPEST_LABEL })
  return next.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** The label and those above it; a circle ends at the limit. */
function chainOf(labels: readonly OrganisedLabel[], name: string): readonly string[] {
  const chain = [name]
  while (chain.length <= DEEPEST_LABEL) {
    const parent = labels.find((it) => it.name === chain.at(-1))?.parent ?? null
    if (parent === null) return chain
    chain.push(parent)
  }
  return chain
}

function below(labels: readonly OrganisedLabel[], name: string): readonly string[] {
  const names = labels.map((it) => it.name).filter((it) => chainOf(labels, it).includes(name))
  return names.includes(name) ? names : [name, ...names]
}

function withView(
  views: readonly OrganisedView[],
  { name, filter, remove }: ParsedInput<"organise.view">,
): readonly OrganisedView[] {
  const before = views.find((it) => it.name === name)
  const others = views.filter((it) => it.name !== name)
  if (remove) return others
  if (others.length >= MOST_VIEWS) throw OrganisingFull({ what: "views", most: MOST_VIEWS })
  const view = { name, filter: filter ?? before?.filter ?? "" }
  return before === undefined
    ? [...others, view]
    : views.map((it) => (it.name === name ? view : it))
}

type HandlerDeps = { organising(): Promise<RunOrganising> }

export const organiseHandlers = ({
  organising,
}: HandlerDeps): Handlers<typeof organiseOperations> => ({
  show: async () => (await organising()).show(),
  state: async (input) => (await organising()).state(input),
  label: async (input) => (await organising()).label(input),
  view: async (input) => (await organising()).view(input),
})
