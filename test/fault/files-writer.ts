import { writeFileAtomic } from "#ground/base"

/** Replaces one file repeatedly: `files-writer.ts <path> <name> <count>`. */
const [path = "", name = "", count = "0"] = process.argv.slice(2)
console.log("ready")
for (let n = 0; n < Number(count); n++) {
  const fill = "x".repeat((n * 997) % 20_000)
  await writeFileAtomic(path, JSON.stringify({ name, n, fill, length: fill.length }))
}
console.log("done")
