import { expect, test } from "vitest"
import { madeIndex, memorySource } from "#test/indexed-tree"
import { needs } from "#test/needs"
import { MOST_SEGMENTS } from "../limits.ts"
import { SegmentIdRow, selectSegmentIds } from "./store/queries.ts"
import type { ScanOptions } from "./types.ts"

const INCREMENTAL: ScanOptions = { mode: "incremental", signal: new AbortController().signal }

/** A fifth outside the nightly run: reading 100,000 files takes 30 s on an idle machine. */
const FILES = process.env["QM_NIGHT"] ? 100_000 : 20_000

test.runIf(needs("MAP-18", "full mode"))(
  "[MAP-18] scans a very large tree, and parses one content for one changed file",
  {
    timeout: 900_000,
  },
  async () => {
    const files: Record<string, string> = {}
    for (let at = 0; at < FILES; at++) {
      files[`d${at % 300}/f${at}.py`] = `def moor${at}(ship):\n    return ship.berth + ${at}\n`
    }
    await using made = await madeIndex()
    const source = memorySource({ files })
    const first = await made.index.scan(source, INCREMENTAL)
    expect(first.result).toMatchObject({ filesScanned: FILES, symbolsIndexed: FILES })
    const ids = await made.db.all(SegmentIdRow, selectSegmentIds())
    expect(ids.length).toBeLessThanOrEqual(MOST_SEGMENTS)

    files["d7/f7.py"] = "def anchor():\n    pass\n"
    const { tree, result } = await made.index.scan(source, INCREMENTAL)
    expect(result.filesChanged).toBe(1)
    expect((await tree.definers(["anchor"])).get("anchor")).toHaveLength(1)
    expect((await tree.definers(["moor7"])).get("moor7")).toEqual([])
    expect((await tree.postings(["berth"]))("berth").length).toBe(3 * FILES)
  },
)
