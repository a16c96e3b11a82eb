import { rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { describe, expect, test } from "vitest"
import { MapTree, PackBuilt, SearchFind, Simulation } from "#ground/contract"
import { commit } from "#test/git"
import { answersOf, newRepository, signal } from "#test/map-room"

describe("the tree as it is now", () => {
  test("[T10][APP-9] search, pack, map and simulate answer from an edited tree, also without git", async () => {
    await using repository = await newRepository({ isGit: false })
    const { root } = repository
    await writeFile(path.join(root, "quay.ts"), "export const quay = 1\n")
    await using app = await repository.open()
    repository.setAheadMs(10_000)
    await answersOf(app)
    await writeFile(path.join(root, "ship.ts"), 'import { quay } from "./quay.ts"\nquay\n')
    const called = (name: string, input: unknown) => app.call(name, input, { signal })
    const reached = Simulation.parse(await called("guard.simulate", { paths: ["quay.ts"] }))
    expect(reached.receipt.reach.map((it) => it.path)).toContain("ship.ts")
    await rm(path.join(root, "ship.ts"))
    await writeFile(path.join(root, "boat.ts"), "export const quayBoat = 2\n")
    const packed = PackBuilt.parse(await called("pack.build", { task: "quay ship", save: false }))
    expect(packed.pack.files.map((it) => it.path).toSorted()).toEqual(["boat.ts", "quay.ts"])
    await writeFile(path.join(root, "boat.ts"), "export const barge = 3\n")
    const found = SearchFind.parse(await called("search.find", { words: "barge" }))
    expect(found.files[0]?.path).toBe("boat.ts")
    await rm(path.join(root, "quay.ts"))
    const listed = MapTree.parse(await called("map.tree", { folder: "" }))
    expect(listed.entries.map((it) => it.path)).toEqual(["boat.ts"])
  })

  test("[APP-9] an unchanged tree is not scanned again until map.scanInterval has passed", async () => {
    await using repository = await newRepository({ isGit: true })
    commit(repository.root, "start", { "a/one.ts": "harbour\n" })
    await using app = await repository.open()
    const scannedAt = async () =>
      SearchFind.parse(await app.call("search.find", { words: "harbour" }, { signal })).state
        .scannedAt
    repository.setAheadMs(10_000)
    const first = await scannedAt()
    repository.setAheadMs(20_000)
    expect(await scannedAt()).toBe(first)
    repository.setAheadMs(400_000)
    expect(await scannedAt()).toBeGreaterThan(first)
  })
})
