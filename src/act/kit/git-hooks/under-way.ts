import path from "node:path"
import { statFile } from "#ground/base"

/**
 * Whether git is in the middle of something: then commits are not written by a person from
 * nothing, and files of ours in them would only be in the way.
 */
export async function checkGitBusy(gitDirectory: string): Promise<boolean> {
  for (const name of SIGNS) {
    if ((await statFile(path.join(gitDirectory, name))).kind === "found") return true
  }
  return false
}

const SIGNS = ["rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"]
