import { formatExact } from "#ground/base"
import type { Config, OperationInput } from "#ground/contract"
import { InputInvalid } from "../errors.ts"

const LONGEST_DESCRIPTION_CHARACTERS = 500

/** FOLD-1; longer material belongs in a file. */
const LONGEST_PROMPT_CHARACTERS = 10_000

/** The only text that the parent keeps. */
const LONGEST_MESSAGE_CHARACTERS = 50_000

const LONGEST_ITEM_CHARACTERS = 4_000

const MOST_ITEMS = 200

const LONGEST_PROGRESS_CHARACTERS = 2_000

const LONGEST_SESSION_UNITS = 200

type FoldingConfig = Config["context_folding"]

export function checkBranch(
  input: OperationInput<"fold.branch">,
  config: FoldingConfig,
): { readonly budget: number; readonly timeoutSeconds: number } {
  const { description, prompt } = input
  checkText({ what: "description", text: description, most: LONGEST_DESCRIPTION_CHARACTERS })
  checkText({ what: "prompt", text: prompt, most: LONGEST_PROMPT_CHARACTERS })
  const budget = {
    what: "budget",
    unit: "tokens",
    requested: input.budget,
    usual: config.default_budget,
    most: config.max_budget,
  }
  const timeout = {
    what: "timeout",
    unit: "seconds",
    requested: input.timeoutSeconds,
    usual: config.default_timeout_seconds,
    most: config.max_timeout_seconds,
  }
  return { budget: checkFigure(budget), timeoutSeconds: checkFigure(timeout) }
}

export function checkReturn(input: OperationInput<"fold.return">): void {
  checkText({ what: "message", text: input.message, most: LONGEST_MESSAGE_CHARACTERS })
  checkItems("evidence", input.evidence ?? [])
  checkItems("files", input.files ?? [])
  checkItems("open questions", input.openQuestions ?? [])
}

export function checkProgress(text: string): void {
  checkText({ what: "progress", text, most: LONGEST_PROGRESS_CHARACTERS })
}

/** A column: text that every database stores unchanged. */
export function checkSession(session: string): void {
  if (session.length > LONGEST_SESSION_UNITS) {
    const problem = `has ${formatExact(session.length)} characters; at most ${LONGEST_SESSION_UNITS} are allowed`
    throw InputInvalid({ what: "session id", problem })
  }
  const isStorable = session.isWellFormed() && !session.includes("\0")
  if (!isStorable)
    throw InputInvalid({ what: "session id", problem: "contains invalid characters" })
}

type Text = { readonly what: string; readonly text: string; readonly most: number }

function checkText({ what, text, most }: Text): void {
  if (text.trim() === "") throw InputInvalid({ what, problem: "is empty" })
  const length = charactersIn(text)
  if (length <= most) return
  const problem = `has ${formatExact(length)} characters; at most ${formatExact(most)} are allowed`
  throw InputInvalid({ what, problem })
}

function checkItems(what: string, items: readonly string[]): void {
  if (items.length > MOST_ITEMS) {
    const problem = `has ${formatExact(items.length)} entries; at most ${MOST_ITEMS} are allowed`
    throw InputInvalid({ what: `list of ${what}`, problem })
  }
  for (const text of items) {
    const length = charactersIn(text)
    if (length <= LONGEST_ITEM_CHARACTERS) continue
    const most = formatExact(LONGEST_ITEM_CHARACTERS)
    const problem = `has an entry of ${formatExact(length)} characters; at most ${most} are allowed`
    throw InputInvalid({ what: `list of ${what}`, problem })
  }
}

type Figure = {
  readonly what: string
  readonly unit: string
  readonly requested: number | undefined
  readonly usual: number
  readonly most: number
}

function checkFigure({ what, unit, requested, usual, most }: Figure): number {
  if (requested === undefined) return Math.min(usual, most)
  const isAllowed = Number.isSafeInteger(requested) && requested >= 1 && requested <= most
  if (isAllowed) return requested
  const allowed = `a whole number of ${unit} from 1 to ${formatExact(most)} is allowed`
  throw InputInvalid({ what, problem: `is ${requested}; ${allowed}` })
}

/** Code points; a lone surrogate counts as one. */
function charactersIn(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
