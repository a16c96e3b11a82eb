import { readFile, stat } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"
import { readSteps, walkGuide } from "../../scripts/guide-walk.ts"

const GUIDE = path.join(import.meta.dirname, "../../docs/guide")
const DOCUMENT = path.join(GUIDE, "first-five-minutes.md")
const LARGEST_PICTURE_BYTES = 300_000

test("every command of the guide runs, and every picture can be taken", async () => {
  const { commands, pictures } = await walkGuide({ document: DOCUMENT })
  expect(commands.length).toBeGreaterThan(8)
  expect(pictures.length).toBeGreaterThan(3)
}, 180_000)

test("the guide's pictures exist and are small", async () => {
  const steps = readSteps(await readFile(DOCUMENT, "utf8"))
  const names = steps.flatMap((it) => (it.kind === "picture" ? [it.name] : []))
  for (const name of names) {
    const { size } = await stat(path.join(GUIDE, "images", `${name}.png`))
    expect(size, `${name}.png: run \`node scripts/guide.ts\` again`).toBeLessThan(
      LARGEST_PICTURE_BYTES,
    )
  }
  expect(names.length).toBeGreaterThan(3)
})
