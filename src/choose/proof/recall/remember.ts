import type { Content, IndexedTree } from "#know/map"
import { MOST_REMEMBERED_TEXT_UNITS } from "../limits.ts"

/**
 * Reads texts and facts once, for all contenders and for all tasks to come: neighbouring trees share
 * nearly all of them, and asking git for texts is most of what a task costs.
 */
export function createMemory(): (tree: IndexedTree) => IndexedTree {
  const textByBlob = new Map<string, string>()
  const contentByNumber = new Map<number, Content>()
  let units = 0
  return (tree) => {
    const blobByPath = new Map(tree.files.map((it) => [it.path, it.blobId]))
    return {
      ...tree,
      async texts(paths) {
        const blobOf = (path: string) => blobByPath.get(path) ?? ""
        const unknown = paths.filter((it) => !textByBlob.has(blobOf(it)))
        if (units > MOST_REMEMBERED_TEXT_UNITS) {
          textByBlob.clear()
          contentByNumber.clear()
          units = 0
        }
        const wanted = textByBlob.size === 0 ? paths : unknown
        for (const [path, text] of wanted.length === 0 ? [] : await tree.texts(wanted)) {
          if (text === undefined) continue
          textByBlob.set(blobOf(path), text)
          units += text.length
        }
        return new Map(paths.map((it) => [it, textByBlob.get(blobOf(it))]))
      },
      async contents(numbers) {
        const unknown = numbers.filter((it) => !contentByNumber.has(it))
        const found = unknown.length === 0 ? [] : await tree.contents(unknown)
        for (const [number, content] of found) contentByNumber.set(number, content)
        return new Map(
          numbers.flatMap((it) => {
            const content = contentByNumber.get(it)
            return content === undefined ? [] : [[it, content] as const]
          }),
        )
      },
    }
  }
}
