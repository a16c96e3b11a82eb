import { compareText, invariant } from "#ground/base"
import { allRows } from "../indexed-tree.ts"
import type { Content, IndexedFile, IndexedTree } from "../types.ts"
import { STRIDE } from "./blocks.ts"

/**
 * Two trees with the same dump give the same results, independent of content numbers and of how
 * they were built.
 */
export async function dumpTree(tree: IndexedTree): Promise<string> {
  const lines = [JSON.stringify({ digest: tree.digest, gitSha: tree.gitSha ?? null })]
  const names = new Map<number, string>()
  for (const file of tree.files) {
    names.set(file.content, `${file.blobId} ${file.language ?? ""}`)
    lines.push(fileLine(file))
  }
  for (const { path, fileClass } of tree.unread) lines.push(JSON.stringify({ path, fileClass }))
  for (const skip of tree.skipped) lines.push(JSON.stringify([skip.path, skip.reason]))
  for (const commit of tree.commits) lines.push(JSON.stringify([commit.message, commit.files]))
  lines.push(JSON.stringify(tree.historyProblem ?? null))

  const contents = await tree.contents([...names.keys()])
  invariant(contents.size === names.size, "every content of a tree is in its store")
  const byName = [...names].toSorted(([, a], [, b]) => compareText(a, b))
  for (const [number, name] of byName) lines.push(factsLine(name, contents.get(number)))
  return [...lines, ...(await postingsLines(tree, names))].join("\n")
}

function fileLine(file: IndexedFile): string {
  const { path, blobId, fileClass, sizeBytes, language = null } = file
  const { lines, tokens, symbolCount, importCount, problemCount, bodyLength } = file
  const counts = [sizeBytes, lines, tokens, symbolCount, importCount, problemCount, bodyLength]
  return JSON.stringify([path, blobId, fileClass, language, ...counts])
}

function factsLine(name: string, content: Content | undefined): string {
  return `${name} ${JSON.stringify({ ...content, number: undefined })}`
}

async function postingsLines(
  tree: IndexedTree,
  names: ReadonlyMap<number, string>,
): Promise<readonly string[]> {
  const entries = new Map<string, string[]>()
  for await (const { kind, term, row } of allRows(tree)) {
    const line = `${kind} ${JSON.stringify(term)}`
    const postings = entries.get(line) ?? []
    for (let at = 0; at < row.length; at += STRIDE) {
      const name = names.get(row[at] ?? -1)
      if (name !== undefined) postings.push(`${name} ${row[at + 1]} ${row[at + 2]}`)
    }
    if (postings.length > 0) entries.set(line, postings)
  }
  return [...entries]
    .map(([line, postings]) => `${line} ${postings.toSorted(compareText).join(",")}`)
    .toSorted(compareText)
}
