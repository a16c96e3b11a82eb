import { expect, test } from "vitest"
import type { ContextPack } from "#ground/contract"
import { onePack } from "./context-pack.fixture.ts"
import { validatePack } from "./validate.ts"

const count = (text: string) => text.length
const check = (pack: ContextPack) =>
  validatePack(pack, { hasFile: (path) => path === "src/a.ts", count })

test("[PACK-25] accepts a valid package", () => {
  expect(() => check(onePack())).not.toThrow()
})

const [file] = onePack().files
if (file === undefined) throw new Error("the package of the tests has a file")

test.for<readonly [string, Partial<ContextPack>]>([
  ["a duplicate file", { files: [file, file], tokens: file.tokens * 2 }],
  ["a file that is not in the tree", { files: [{ ...file, path: "src/gone.ts" }] }],
  ["a score above 1", { files: [{ ...file, score: 1.5 }] }],
  ["a structural score below 0", { files: [{ ...file, astScore: -0.1 }] }],
  ["a wrong total of tokens", { tokens: file.tokens + 1 }],
  ["token counts by kind that do not add up", { manifest: { ...onePack().manifest, kinds: [] } }],
  ["files over the budget", { budget: file.tokens - 1 }],
  ["a text over the budget", { budget: file.tokens + 1 }],
  ["an empty package without a reason", { files: [], tokens: 0 }],
  ["a reason for an empty package that has a file", { emptyReason: "none" }],
  [
    "a text that contains the delimiter",
    { files: [{ ...file, pieces: [{ fromLine: 1, toLine: 1, text: "qm-fence" }] }] },
  ],
  ["excerpts out of order", { files: [{ ...file, pieces: file.pieces.toReversed() }] }],
  ["a file in the form `path` with excerpts", { files: [{ ...file, form: "path" }] }],
  ["a file both included and left out", { left: [leftLike("src/a.ts")], leftCount: 1 }],
  ["more listed than left out", { left: [leftLike("src/b.ts")], leftCount: 0 }],
])("[PACK-25] %s is an invariant failure, and the package is not sent", ([, wrong]) => {
  expect(() => check({ ...onePack(), ...wrong })).toThrow("invariant broken")
})

function leftLike(path: string): ContextPack["left"][number] {
  return { path, score: 0, tokens: 1, why: "no-room", detail: "needs 1 token", reasons: [] }
}
