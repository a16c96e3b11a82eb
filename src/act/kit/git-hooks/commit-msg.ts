import path from "node:path"
import { readBounded, visibleLine } from "#ground/base"
import { CommitMessageRefused } from "./errors.ts"
import { LARGEST_MESSAGE_BYTES, LONGEST_QUOTED_CHARACTERS } from "./limits.ts"
import { checkMessage } from "./message.ts"
import { checkGitBusy } from "./under-way.ts"
import { askLine, type UserGit } from "./user-git.ts"

/** Throws its refusal; gives a word about what it did not look at. */
export async function commitMsg(
  git: UserGit,
  file: string | undefined,
): Promise<string | undefined> {
  const { root, gitDirectory } = git.repository
  if (gitDirectory === undefined || file === undefined) return "no message was named"
  if (await checkGitBusy(gitDirectory)) return "a merge, rebase, cherry-pick or revert is under way"
  const limits = { maxBytes: LARGEST_MESSAGE_BYTES }
  const read = await readBounded(path.resolve(root, file), limits)
  if (read.kind !== "read") return `the message could not be read (${read.kind})`

  const checked = checkMessage(read.bytes.toString(), { commentSign: await commentSign(git) })
  if (checked.kind === "fine") return undefined
  const header = visibleLine([...checked.header].slice(0, LONGEST_QUOTED_CHARACTERS).join(""))
  throw CommitMessageRefused({ header, wrong: checked.wrong })
}

/** With `auto` git takes another sign only where a line begins with this one. */
async function commentSign(git: UserGit): Promise<string> {
  const set =
    (await askLine(git, "config", "--get", "core.commentString")) ??
    (await askLine(git, "config", "--get", "core.commentChar"))
  return set === undefined || set === "auto" ? "#" : set
}
