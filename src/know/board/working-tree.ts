import { createHash } from "node:crypto"
import { join } from "node:path"
import { compareText, readBounded } from "#ground/base"
import {
  blobId,
  type Git,
  openGit,
  PROJECT_FOLDER,
  type Repository,
  readStatus,
  walkTree,
} from "#see/repo"

/** A larger file is identified by its size. */
const LARGEST_HASHED_BYTES = 64 * 1024 ** 2

/** Moves and evidence change the board itself, so it is not a part of the tree. */
const OWN_FOLDERS = [`${PROJECT_FOLDER}/board/`, `${PROJECT_FOLDER}/local/`]

const DOCUMENTS = /^[^.](?!.*\/\.).*\.(?:adoc|markdown|md|mdx|rst|txt)$/i
/** They are instructions for agents, so a change of them changes behaviour. */
const INSTRUCTIONS = /(?:^|\/)(?:AGENTS?|CLAUDE|GEMINI|SKILL)(?:\.local)?\.md$/i

type TreeDeps = {
  readonly repository: Repository
  readonly environment: Readonly<Record<string, string | undefined>>
}

export type WorkingTree = ReturnType<typeof createWorkingTree>

export function createWorkingTree({ repository, environment }: TreeDeps) {
  const open = async (signal: AbortSignal) => {
    const opened = await openGit({ repository, environment, signal })
    return opened.kind === "ready" ? opened.git : undefined
  }
  return {
    /**
     * Hash of all paths and contents that are not ignored. A commit does not change it; an edit
     * does.
     */
    async id(signal: AbortSignal): Promise<string> {
      const git = await open(signal)
      const files = git === undefined ? undefined : await filesOf(repository, git, signal)
      const pairs = files ?? (await walkedFiles(repository, signal))
      const hash = createHash("sha256")
      for (const path of [...pairs.keys()].toSorted(compareText)) {
        if (!isOwn(path)) hash.update(`${path}\0${pairs.get(path) ?? ""}\n`)
      }
      return hash.digest("hex").slice(0, 40)
    },

    async head(signal: AbortSignal): Promise<string | undefined> {
      return (await open(signal))?.headCommit()
    },

    /** Paths that differ from a commit; undefined if that cannot be determined. */
    async changedSince(
      commit: string,
      signal: AbortSignal,
    ): Promise<readonly string[] | undefined> {
      const git = await open(signal)
      const head = await git?.headCommit()
      if (git === undefined || head === undefined) return undefined
      if (!(await git.isAncestor(commit, head))) return undefined
      const { changes } = await readStatus({ repository, git, signal })
      if (changes === undefined) return undefined
      const committed = await git.diffNames(commit, head)
      const paths = [...committed, ...changes].map((it) => it.path)
      return [...new Set(paths)].filter((it) => !isOwn(it)).toSorted(compareText)
    },
  }
}

export function isDocument(path: string): boolean {
  return DOCUMENTS.test(path) && !INSTRUCTIONS.test(path)
}

function isOwn(path: string): boolean {
  return OWN_FOLDERS.some((it) => path.startsWith(it))
}

async function filesOf(
  repository: Repository,
  git: Git,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  const head = await git.headCommit()
  const { changes } = await readStatus({ repository, git, signal })
  if (head === undefined || changes === undefined) return undefined
  const files = new Map((await git.listTree(head)).entries.map((it) => [it.path, it.id]))
  for (const { path, kind } of changes) {
    if (kind === "deleted") files.delete(path)
    else files.set(path, await contentId(repository.root, path, git.format))
  }
  return files
}

async function walkedFiles(
  repository: Repository,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const { path } of (await walkTree(repository, { signal })).files) {
    signal.throwIfAborted()
    files.set(path, await contentId(repository.root, path, "sha1"))
  }
  return files
}

async function contentId(root: string, path: string, format: Git["format"]): Promise<string> {
  const outcome = await readBounded(join(root, path), { maxBytes: LARGEST_HASHED_BYTES, root })
  if (outcome.kind === "read") return blobId(outcome.bytes, format)
  return outcome.kind === "too-large" ? `large ${outcome.sizeBytes}` : outcome.kind
}
