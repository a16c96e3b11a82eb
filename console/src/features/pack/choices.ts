import type { ContextPack, PackFile, PackForm } from "../../contract.ts"
import type { Input } from "../../data/client.ts"
import type { PackParams, PackTab } from "../../data/paths.ts"

/** All user choices of a package: the complete input of `pack.build`. */
export type Choices = Pick<
  PackParams,
  | "task"
  | "budget"
  | "role"
  | "pins"
  | "drops"
  | "full"
  | "symbols"
  | "signatures"
  | "mention"
  | "order"
>

export const NO_CHOICES: Choices = {
  task: "",
  budget: null,
  role: "",
  pins: [],
  drops: [],
  full: [],
  symbols: [],
  signatures: [],
  mention: [],
  order: [],
}

/** The forms in the order of their keys, with the parameter that lists their paths. */
const LIST_OF_FORM = {
  full: "full",
  symbols: "symbols",
  signatures: "signatures",
  path: "mention",
} as const satisfies Readonly<Record<PackForm, keyof Choices>>

export const FORMS = [
  "full",
  "symbols",
  "signatures",
  "path",
] as const satisfies readonly PackForm[]

export function choicesOf(params: PackParams): Choices {
  const { task, budget, role, pins, drops, full, symbols, signatures, mention, order } = params
  return { task, budget, role, pins, drops, full, symbols, signatures, mention, order }
}

export function choicesFrom({ task, budget, role, choices }: ContextPack): Choices {
  const { target: pins, drop: drops, ...rest } = choices
  return { task, budget, role: role ?? "", pins, drops, ...rest }
}

export function buildInput(choices: Choices, format: PackTab): Input<"pack.build"> {
  const { task, budget, role, pins, drops, full, symbols, signatures, mention, order } = choices
  return {
    task,
    ...(budget === null ? {} : { budget }),
    ...(role === "" ? {} : { role }),
    target: [...pins],
    drop: [...drops],
    full: [...full],
    symbols: [...symbols],
    signatures: [...signatures],
    mention: [...mention],
    order: [...order],
    format,
    save: false,
  }
}

export function togglePin(choices: Choices, path: string): Choices {
  if (choices.pins.includes(path)) return { ...choices, pins: without(choices.pins, path) }
  return {
    ...choices,
    pins: [...choices.pins, path],
    drops: without(choices.drops, path),
  }
}

export function toggleDrop(choices: Choices, path: string): Choices {
  if (choices.drops.includes(path)) return { ...choices, drops: without(choices.drops, path) }
  const rest = withoutForm(choices, path)
  return {
    ...rest,
    drops: [...rest.drops, path],
    pins: without(rest.pins, path),
    order: without(rest.order, path),
  }
}

export function chooseForm(choices: Choices, path: string, form: PackForm): Choices {
  const list = LIST_OF_FORM[form]
  const rest = withoutForm(choices, path)
  if (choices[list].includes(path)) return rest
  return { ...rest, [list]: [...rest[list], path], drops: without(rest.drops, path) }
}

export function chosenForm(choices: Choices, path: string): PackForm | undefined {
  return FORMS.find((it) => choices[LIST_OF_FORM[it]].includes(path))
}

/**
 * Moves one file within the displayed order. Only the paths up to the last moved position are
 * stored; the others keep the package's own order.
 */
export function moveTo(
  choices: Choices,
  paths: readonly string[],
  move: { readonly path: string; readonly to: number },
): Choices {
  const from = paths.indexOf(move.path)
  const to = Math.min(paths.length - 1, Math.max(0, move.to))
  if (from < 0 || from === to) return choices
  const moved = without(paths, move.path).toSpliced(to, 0, move.path)
  const touched = Math.max(from, to, ...choices.order.map((it) => moved.indexOf(it)))
  return { ...choices, order: moved.slice(0, touched + 1) }
}

/**
 * The expected files before the server responds: dropped ones are gone, and moves, forms and pins
 * are applied. Tokens are those of the last response.
 */
export function applyChoices(files: readonly PackFile[], choices: Choices): readonly PackFile[] {
  const { drops, pins, order } = choices
  const dropped = new Set(drops)
  const pinned = new Set(pins)
  const placeOf = new Map(order.map((path, i) => [path, i]))
  const position = ({ path }: PackFile) => placeOf.get(path) ?? order.length
  return files
    .filter((it) => !dropped.has(it.path))
    .map((it) => ({
      ...it,
      isPinned: pinned.has(it.path),
      form: chosenForm(choices, it.path) ?? it.form,
    }))
    .toSorted((a, b) => position(a) - position(b))
}

function withoutForm(choices: Choices, path: string): Choices {
  return {
    ...choices,
    full: without(choices.full, path),
    symbols: without(choices.symbols, path),
    signatures: without(choices.signatures, path),
    mention: without(choices.mention, path),
  }
}

function without(paths: readonly string[], path: string): readonly string[] {
  return paths.filter((it) => it !== path)
}
