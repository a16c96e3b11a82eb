import { writeFile } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { tempDirectory } from "#test/temp"
import { hashCited } from "./memory.ts"

const NO_TREE = { files: [], contents: async () => new Map() }

test("[APP-14] citations looked up at once share a scan, and a later one scans again", async () => {
  await using temp = await tempDirectory()
  await writeFile(path.join(temp.path, "a.ts"), "export const a = 1\n")
  let scans = 0
  const mapping = {
    openTree: async () => undefined,
    async scan() {
      scans++
      await new Promise((resolve) => setImmediate(resolve))
      return { tree: NO_TREE }
    },
  }
  const deps = {
    places: () => ({ repository: { root: temp.path } }),
    map: () => mapping,
  }
  const look = (symbol: string) => hashCited({ path: "a.ts", symbol }, deps)
  expect(await Promise.all(Array.from({ length: 16 }, (_, at) => look(`s${at}`)))).toEqual(
    Array.from({ length: 16 }),
  )
  // A scan already under way may have missed the change, so a second scan serves those that joined
  // it.
  expect(scans).toBe(2)
  await look("a")
  expect(scans).toBe(3)
})
