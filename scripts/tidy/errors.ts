import { collectErrors, type DescribedError } from "../reference/errors.ts"
import { type Finding, type Findings, fail, join, report } from "./finding.ts"
import { lineAt, type Tree } from "./tree.ts"

const LONGEST_HINT_CHARACTERS = 160

/** Checks the errors: unique codes, short hints, each in an errors.ts, each covered by a test. */
export async function checkErrors(tree: Tree): Promise<Findings> {
  const errors = await collect(tree.root)
  if ("where" in errors) return fail(errors)
  const tests = tree.sources.filter((source) => source.isTest).map((source) => source.text)
  return join([
    fail(...sharedCodes(errors), ...errors.flatMap(badWords), ...strayDefinitions(tree)),
    report(...errors.filter((error) => !isTested(error, tests)).map(untested)),
  ])
}

async function collect(root: string): Promise<readonly DescribedError[] | Finding> {
  try {
    return await collectErrors(root)
  } catch (error) {
    return {
      where: "src/**/errors.ts",
      wrong: `The errors cannot be loaded: ${String(error)}`,
      instead: "Make each errors.ts importable on its own: it only defines errors.",
    }
  }
}

function sharedCodes(errors: readonly DescribedError[]): readonly Finding[] {
  const byCode = Map.groupBy(errors, (error) => error.code)
  return [...byCode]
    .filter(([, sharing]) => sharing.length > 1)
    .map(([code, sharing]) => ({
      where: sharing.map((error) => error.file).join(", "),
      wrong: `${code} is defined ${sharing.length} times.`,
      instead: "Give each error its own code; callers match by code.",
    }))
}

function badWords(error: DescribedError): readonly Finding[] {
  const where = `${error.file} (${error.name})`
  const isNamedWell = /^[A-Z]+(?:_[A-Z0-9]+)+$/.test(error.code)
  const isShort = error.hint.length <= LONGEST_HINT_CHARACTERS
  const misnamed: Finding = {
    where,
    wrong: `The code ${error.code} is not ROOM_WHAT_IS_WRONG.`,
    instead: "Write the room, then the problem, in capitals.",
  }
  const longWinded: Finding = {
    where,
    wrong: `The hint of ${error.code} has ${error.hint.length} characters.`,
    instead: `Use at most ${LONGEST_HINT_CHARACTERS} characters for the next step; put the rest into the message.`,
  }
  return [...(isNamedWell ? [] : [misnamed]), ...(isShort ? [] : [longWinded])]
}

/** The reference reads only errors.ts files, so an error elsewhere would be undocumented. */
function strayDefinitions(tree: Tree): readonly Finding[] {
  return tree.sources
    .filter((source) => source.path.startsWith("src/") && !source.isTest)
    .filter((source) => !/\/(?:errors|base\/error)\.ts$/.test(source.path))
    .map((source) => ({ source, offset: source.text.search(/\bdefineError[<(]/) }))
    .filter(({ offset }) => offset >= 0)
    .map(({ source, offset }) => ({
      where: `${source.path}:${lineAt(source.text, offset)}`,
      wrong: "An error is defined outside errors.ts.",
      instead: "Move it to the room's errors.ts, which the reference reads.",
    }))
}

function isTested(error: DescribedError, tests: readonly string[]): boolean {
  const name = new RegExp(`\\b(?:${error.code}|${error.name})\\b`)
  return tests.some((text) => name.test(text))
}

function untested(error: DescribedError): Finding {
  return {
    where: `${error.file} (${error.name})`,
    wrong: `No test mentions ${error.code}.`,
    instead: "Cause it in a test, or delete it.",
  }
}
