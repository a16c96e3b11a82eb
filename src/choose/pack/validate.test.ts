import { expect, test } from "vitest"
import type { ContextPack } from "#ground/contract"
import { onePack } from "./context-pack.fixture.ts"
import { validatePack } from "./validate.ts"

const count = (text: string) => text.length
const check = (pack: ContextPack) =>
  validatePack(pack, { hasFile: (path) => path === "src/a.ts", count })

test("[PACK-25] a package that keeps its promises passes", () => {
  expect(() => check(onePack())).not.toThrow()
})

const [file] = onePack().files
if (file === undefined) throw new Error("the package of the tests has a file")

test.for<readonly [string, Partial<ContextPack>]>([
  ["a file twice", { files: [file, file], tokens: file.tokens * 2 }],
  ["a file that is not in the tree", { files: [{ ...file, path: "src/gone.ts" }] }],
  ["a score above 1", { files: [{ ...file, score: 1.5 }] }],
  ["a structural score below 0", { files: [{ ...file, astScore: -0.1 }] }],
  ["a sum that is none", { tokens: file.tokens + 1 }],
  ["kinds that are not the sum", { manifest: { ...onePack().manifest, kinds: [] } }],
  ["files over the budget", { budget: file.tokens - 1 }],
  ["a text over the budget", { budget: file.tokens + 1 }],
  ["no file and no word of it", { files: [], tokens: 0 }],
  ["a reason to be empty, and a file", { emptyReason: "none" }],
  [
    "the fence in a text",
    { files: [{ ...file, pieces: [{ fromLine: 1, toLine: 1, text: "qm-fence" }] }] },
  ],
  ["pieces out of order", { files: [{ ...file, pieces: file.pieces.toReversed() }] }],
  ["a path with pieces", { files: [{ ...file, form: "path" }] }],
  ["a file both in and out", { left: [leftLike("src/a.ts")], leftCount: 1 }],
  ["more listed than are out", { left: [leftLike("src/b.ts")], leftCount: 0 }],
])("[PACK-25] %s is a bug that is not sent", ([, wrong]) => {
  expect(() => check({ ...onePack(), ...wrong })).toThrow("invariant broken")
})

function leftLike(path: string): ContextPack["left"][number] {
  return { path, score: 0, tokens: 1, why: "no-room", detail: "needs 1 token", reasons: [] }
}
