import { LONGEST_HEADER_CHARACTERS } from "./limits.ts"

/** Of Conventional Commits 1.0 and the convention it comes from. */
const COMMIT_TYPES = "feat fix docs style refactor perf test build ci chore revert".split(" ")

export type MessageOutcome =
  | { readonly kind: "fine" }
  | { readonly kind: "wrong"; readonly header: string; readonly wrong: string }

/** Whether a message as git hands it over, comments and all, is one by the convention. */
export function checkMessage(
  text: string,
  options: { readonly commentSign: string },
): MessageOutcome {
  const lines = linesOf(text, options.commentSign)
  const [header = "", second = ""] = lines
  // Git itself refuses a message without a word.
  if (header === "" || isMadeByGit(header)) return { kind: "fine" }
  const wrong = wrongOfHeader(header) ?? (second === "" ? undefined : NO_BLANK_LINE)
  return wrong === undefined ? { kind: "fine" } : { kind: "wrong", header, wrong }
}

const NO_BLANK_LINE = "a blank line is missing after the header"

/** Without comments and what lies below the scissors, from the first line with a word on. */
function linesOf(text: string, commentSign: string): readonly string[] {
  const all = text.split(/\r?\n/)
  const cut = all.findIndex((it) => it.startsWith(`${commentSign} ${SCISSORS}`))
  const whole = (cut === -1 ? all : all.slice(0, cut)).map((it) => it.trimEnd())
  const said = whole.filter((it) => !it.startsWith(commentSign))
  const start = said.findIndex((it) => it !== "")
  return start === -1 ? [] : said.slice(start)
}

const SCISSORS = "------------------------ >8 ------------------------"

function isMadeByGit(header: string): boolean {
  return /^(?:Merge |Revert "|Reapply "|(?:fixup|squash|amend)! )/.test(header)
}

function wrongOfHeader(header: string): string | undefined {
  const [, type = "", scope, colon, subject = ""] =
    /^([^\s():!]*)(\([^()]*\))?!?(: ?)?(.*)$/.exec(header) ?? []
  if (colon === undefined) return "it does not begin with `type: ` or `type(scope): `"
  // The convention holds no sign apart from its capital.
  const isKnown = COMMIT_TYPES.includes(type.toLowerCase())
  if (!isKnown)
    return `${type === "" ? "no type" : `"${type}"`} is not one of ${COMMIT_TYPES.join(" ")}`
  if (scope !== undefined && scope.slice(1, -1).trim() === "") return "its scope is empty"
  if (subject.trim() === "") return "its subject is empty"
  if (colon !== ": ") return "a space is missing after the colon"
  const length = [...header].length
  if (length <= LONGEST_HEADER_CHARACTERS) return undefined
  return `its header has ${length} characters, at most ${LONGEST_HEADER_CHARACTERS} are allowed`
}
