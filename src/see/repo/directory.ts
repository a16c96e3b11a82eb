import path from "node:path"
import { FileNotReadable, listDirectory, realPath } from "#ground/base"

/** Why a directory cannot be worked in, in words; undefined when it can. */
export async function directoryProblem(directory: string): Promise<string | undefined> {
  const real = await withoutLinks(directory)
  if (real.kind === "problem") return real.problem
  // The first entry is enough to know that it can be listed.
  const listed = await listDirectory(real.path, { maxEntries: 0 })
  switch (listed.kind) {
    case "listed":
    case "too-many":
      return undefined
    case "missing":
      return NOTHING_THERE
    case "not-directory":
      return `it is a ${listed.what}, not a directory`
    case "unreadable":
      return sayReason(listed.reason)
    default:
      return listed satisfies never
  }
}

const NOTHING_THERE = "there is nothing"

type Real = { readonly kind: "at"; readonly path: string } | { kind: "problem"; problem: string }

async function withoutLinks(directory: string): Promise<Real> {
  try {
    return { kind: "at", path: await realPath(path.resolve(directory)) }
  } catch (error) {
    if (!FileNotReadable.is(error)) throw error
    return { kind: "problem", problem: sayReason(error.data.reason) }
  }
}

function sayReason(reason: string): string {
  if (reason === "ENOENT") return NOTHING_THERE
  if (reason === "ENOTDIR") return "a part of the path is no directory"
  if (reason === "EACCES" || reason === "EPERM") return "you may not read it"
  return reason === "ELOOP" ? "its links lead in a circle" : `the system says ${reason}`
}
