import { LAB_SCENES, playLab } from "../test/scenarios/cache-lab.ts"

// Injects each cause of a cache miss into sessions of the real Claude Code and prints what
// `qm gateway cache` named: `node scripts/cache-lab.ts [scene]`.

const [only] = process.argv.slice(2)
let [lost, right, wrongWithCertainty] = [0, 0, 0]
for (const scene of LAB_SCENES.filter((it) => only === undefined || it.name === only)) {
  for (const it of await playLab(scene)) {
    if (it.expected === "hit" && it.named === "hit") continue
    const certainty = it.isCertain ? "certain" : "not certain"
    const verdict = it.isRight ? "right" : "WRONG"
    const cells = [it.scene, it.prompt, it.expected, it.named, certainty, it.detail, verdict]
    process.stdout.write(`| ${cells.join(" | ")} |\n`)
    lost += 1
    right += it.isRight ? 1 : 0
    wrongWithCertainty += !it.isRight && it.isCertain ? 1 : 0
  }
}
process.stdout.write(
  `${right} of ${lost} named right, ${wrongWithCertainty} wrong with certainty\n`,
)
