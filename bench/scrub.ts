import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { systemRandom } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { atMost, type Bench, interleave, makeRow } from "./frame.ts"

const ROUNDS = 30
const CHARACTERS = 1_000_000
const BAR_MS = 50

export const bench: Bench = {
  name: "scrub",
  about: "finding and replacing secrets in 1 MB of text, beside a loop over its characters",
  async run(context) {
    const code = readCode(context.root)
    const escaped = JSON.stringify(code).slice(0, CHARACTERS)
    const dirty = withTokens(code)
    const plain = createSecrets({ random: systemRandom })
    const withKnown = createSecrets({ random: systemRandom, known: knownValues() })
    const times = await interleave(
      [
        { name: "loop", run: () => sumOfCodes(code) },
        { name: "clean code", run: () => plain.redact(code) },
        { name: "clean code, 200 known values", run: () => withKnown.redact(code) },
        { name: "the same inside a JSON string", run: () => plain.redact(escaped) },
        { name: "a token every 10,000 characters", run: () => plain.redact(dirty) },
      ],
      { clock: context.clock, rounds: context.rounds ?? ROUNDS, warmUpRounds: 3 },
    )
    const contestants = [
      "clean code",
      "clean code, 200 known values",
      "the same inside a JSON string",
      "a token every 10,000 characters",
    ] as const
    return contestants.flatMap((name) =>
      (["median", "p95"] as const).map((of) =>
        makeRow({
          what: of === "median" ? name : `${name}, p95`,
          measured: times(name)[of],
          unit: "ms",
          against: "a loop over the characters",
          floor: times("loop")[of],
          bar: atMost(BAR_MS, "ms"),
        }),
      ),
    )
  },
}

/** Our own code first, then that of packages, until there is a megabyte. */
function readCode(root: string): string {
  const folders = ["src", "scripts", "bench", "node_modules/zod", "node_modules/fastify"]
  let text = ""
  for (const folder of folders) {
    const files = readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile() && /\.(?:ts|js|mjs|cjs)$/.test(it.name))
      .filter((it) => !it.name.includes(".test."))
    for (const file of files) {
      if (text.length >= CHARACTERS) return text.slice(0, CHARACTERS)
      text += readFileSync(path.join(file.parentPath, file.name), "utf8")
    }
  }
  return text
}

const TOKEN_EVERY_CHARACTERS = 10_000

/** Made at run time: no key stands in this file. */
function withTokens(code: string): string {
  const pieces: string[] = []
  for (let at = 0; at < code.length; at += TOKEN_EVERY_CHARACTERS) {
    const token = `ghp${"_"}${Buffer.from(systemRandom.bytes(18)).toString("hex")}`
    pieces.push(code.slice(at, at + TOKEN_EVERY_CHARACTERS), `\n${token}\n`)
  }
  return pieces.join("").slice(0, CHARACTERS)
}

function knownValues(): readonly string[] {
  return Array.from({ length: 200 }, (_, index) =>
    Buffer.from(systemRandom.bytes(8 + (index % 40))).toString("base64"),
  )
}

function sumOfCodes(text: string): number {
  let sum = 0
  for (let index = 0; index < text.length; index++) sum += text.charCodeAt(index)
  return sum
}
