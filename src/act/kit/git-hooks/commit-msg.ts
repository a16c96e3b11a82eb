import path from "node:path"
import { readBounded, visibleLine } from "#ground/base"
import { CommitMessageRefused } from "./errors.ts"
import { askLine, checkGitBusy, type UserGit } from "./user-git.ts"

const LONGEST_QUOTED_CHARACTERS = 120

/** The usual limit of Conventional Commits linters; code hosts truncate longer headers. */
const LONGEST_HEADER_CHARACTERS = 100

const LARGEST_MESSAGE_BYTES = 1_048_576

/** Throws the rejection; returns a note if the message was not checked. */
export async function commitMsg(
  git: UserGit,
  file: string | undefined,
): Promise<string | undefined> {
  const { root, gitDirectory } = git.repository
  if (gitDirectory === undefined || file === undefined) return "no message file was given"
  if (await checkGitBusy(gitDirectory))
    return "a merge, rebase, cherry-pick or revert is in progress"
  const limits = { maxBytes: LARGEST_MESSAGE_BYTES }
  const read = await readBounded(path.resolve(root, file), limits)
  if (read.kind !== "read") return `the message file could not be read (${read.kind})`

  const checked = checkMessage(read.bytes.toString(), {
    commentCharacter: await commentCharacter(git),
  })
  if (checked.kind === "fine") return undefined
  const header = visibleLine([...checked.header].slice(0, LONGEST_QUOTED_CHARACTERS).join(""))
  throw CommitMessageRefused({ header, wrong: checked.wrong })
}

/** With `auto`, git uses another character only if a line begins with this one. */
async function commentCharacter(git: UserGit): Promise<string> {
  const set =
    (await askLine(git, "config", "--get", "core.commentString")) ??
    (await askLine(git, "config", "--get", "core.commentChar"))
  return set === undefined || set === "auto" ? "#" : set
}

/** From Conventional Commits 1.0 and the Angular convention. */
const COMMIT_TYPES = "feat fix docs style refactor perf test build ci chore revert".split(" ")

export type MessageOutcome =
  | { readonly kind: "fine" }
  | { readonly kind: "wrong"; readonly header: string; readonly wrong: string }

/** `text` is the message file of git, including comments. */
export function checkMessage(
  text: string,
  options: { readonly commentCharacter: string },
): MessageOutcome {
  const lines = linesOf(text, options.commentCharacter)
  const [header = "", second = ""] = lines
  if (header === "" || isMadeByGit(header)) return { kind: "fine" }
  const wrong = wrongOfHeader(header) ?? (second === "" ? undefined : NO_BLANK_LINE)
  return wrong === undefined ? { kind: "fine" } : { kind: "wrong", header, wrong }
}

const NO_BLANK_LINE = "a blank line is missing after the header"

function linesOf(text: string, commentCharacter: string): readonly string[] {
  const all = text.split(/\r?\n/)
  const cut = all.findIndex((it) => it.startsWith(`${commentCharacter} ${SCISSORS}`))
  const whole = (cut === -1 ? all : all.slice(0, cut)).map((it) => it.trimEnd())
  const lines = whole.filter((it) => !it.startsWith(commentCharacter))
  const start = lines.findIndex((it) => it !== "")
  return start === -1 ? [] : lines.slice(start)
}

const SCISSORS = "------------------------ >8 ------------------------"

function isMadeByGit(header: string): boolean {
  return /^(?:Merge |Revert "|Reapply "|(?:fixup|squash|amend)! )/.test(header)
}

function wrongOfHeader(header: string): string | undefined {
  const [, type = "", scope, colon, subject = ""] =
    /^([^\s():!]*)(\([^()]*\))?!?(: ?)?([^]*)$/.exec(header) ?? []
  if (colon === undefined) return "it does not start with `type: ` or `type(scope): `"
  // Conventional Commits 1.0 ignores letter case.
  const isKnown = COMMIT_TYPES.includes(type.toLowerCase())
  if (!isKnown)
    return `${type === "" ? "no type" : `"${type}"`} is not one of ${COMMIT_TYPES.join(" ")}`
  if (scope !== undefined && scope.slice(1, -1).trim() === "") return "the scope is empty"
  if (subject.trim() === "") return "the subject is empty"
  if (colon !== ": ") return "a space is missing after the colon"
  const length = [...header].length
  if (length <= LONGEST_HEADER_CHARACTERS) return undefined
  return `the header has ${length} characters (at most ${LONGEST_HEADER_CHARACTERS})`
}
