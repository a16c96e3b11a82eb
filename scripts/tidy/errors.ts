import { collectErrors, type DescribedError } from "../reference/errors.ts"
import { type Finding, type Findings, fail, join, report } from "./finding.ts"
import { lineAt, type Tree } from "./tree.ts"

const LONGEST_HINT_CHARACTERS = 160

/** The table of errors: unique codes, short hints, each in an errors.ts, each met by a test. */
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
      wrong: `The table of errors cannot be read: ${String(error)}`,
      instead: "Make each errors.ts importable by itself: it defines errors and nothing else.",
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
    instead: "Begin with the room, then say what is wrong, in capitals.",
  }
  const longWinded: Finding = {
    where,
    wrong: `The hint of ${error.code} has ${error.hint.length} characters.`,
    instead: `Say in ${LONGEST_HINT_CHARACTERS} what to do next; the message has the rest.`,
  }
  return [...(isNamedWell ? [] : [misnamed]), ...(isShort ? [] : [longWinded])]
}

/** Only errors.ts files are read for the reference, so an error elsewhere would be undocumented. */
function strayDefinitions(tree: Tree): readonly Finding[] {
  return tree.sources
    .filter((source) => source.path.startsWith("src/") && !source.isTest)
    .filter((source) => !/\/(?:errors|base\/error)\.ts$/.test(source.path))
    .map((source) => ({ source, offset: source.text.search(/\bdefineError[<(]/) }))
    .filter(({ offset }) => offset >= 0)
    .map(({ source, offset }) => ({
      where: `${source.path}:${lineAt(source.text, offset)}`,
      wrong: "An error is defined outside errors.ts.",
      instead: "Move it to the room's errors.ts, where the reference finds it.",
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
    instead: "Provoke it in a test, or delete it.",
  }
}
