import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { z } from "zod"
import { systemRandom } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { createSpecimens } from "../test/corpus/secret-kinds.ts"
import { atMost, type Bench, interleave, makeRow, type Row } from "./frame.ts"

const ROUNDS = 30
const CHARACTERS = 1_000_000
const BAR_MS = 50

/**
 * `bench/README.md` has its version and how to install it.
 */
const PEER = "secretlint, recommended rules"

export const bench: Bench = {
  name: "scrub",
  about: "finding and replacing secrets in 1 MB of text, beside secretlint or a loop over it",
  async run(context) {
    const code = readCode(context.root)
    const texts = [
      ["clean code", code],
      ["clean code, 200 known values", code],
      ["the same inside a JSON string", JSON.stringify(code).slice(0, CHARACTERS)],
      ["a token every 10,000 characters", withTokens(code)],
    ] as const
    const plain = createSecrets({ random: systemRandom })
    const withKnown = createSecrets({ random: systemRandom, known: knownValues() })
    const peer = await findPeer(context.note)
    const times = await interleave(
      [
        { name: "loop", run: () => sumOfCodes(code) },
        ...texts.flatMap(([name, text]) => {
          const { redact } = name.includes("known") ? withKnown : plain
          const ours = { name: `ours: ${name}`, run: () => redact(text) } as const
          if (peer === undefined) return [ours]
          return [ours, { name: `theirs: ${name}`, run: () => peer(text) } as const]
        }),
      ],
      { clock: context.clock, rounds: context.rounds ?? ROUNDS, warmUpRounds: 3 },
    )
    const against = peer === undefined ? "a loop over the characters" : PEER
    const rows = texts.flatMap(([name]) =>
      (["median", "p95"] as const).map((of) =>
        makeRow({
          what: of === "median" ? name : `${name}, p95`,
          measured: times(`ours: ${name}`)[of],
          unit: "ms",
          against,
          floor: times(peer === undefined ? "loop" : `theirs: ${name}`)[of],
          bar: atMost(BAR_MS, "ms"),
        }),
      ),
    )
    return peer === undefined ? rows : [...rows, await compareKinds(plain.redact, peer)]
  },
}

type Peer = (text: string) => Promise<number>

type LintSource = (asked: object) => Promise<{ readonly messages: readonly unknown[] }>
const Core = z.object({ lintSource: z.custom<LintSource>((it) => typeof it === "function") })
const Preset = z.object({ creator: z.unknown() })

/** Loaded from the folder in QM_SECRETLINT, because it is not a dependency. */
async function findPeer(note: (sentence: string) => void): Promise<Peer | undefined> {
  const folder = process.env["QM_SECRETLINT"]
  if (folder === undefined) {
    note("secretlint is not here: QM_SECRETLINT names no folder (bench/README.md)")
    return undefined
  }
  const { resolve } = createRequire(path.resolve(folder, "package.json"))
  const load = async (name: string): Promise<unknown> =>
    import(pathToFileURL(resolve(`@secretlint/${name}`)).href)
  const { lintSource } = Core.parse(await load("core"))
  const id = "secretlint-rule-preset-recommend"
  const { creator } = Preset.parse(await load(id))
  const config = { rules: [{ id: `@secretlint/${id}`, rule: creator }] }
  return async (content) => {
    const source = { filePath: "text.ts", ext: ".ts", contentType: "text", content }
    const { messages } = await lintSource({ source, options: { config } })
    return messages.length
  }
}

async function compareKinds(
  redact: (text: string) => { readonly findings: readonly unknown[] },
  peer: Peer,
): Promise<Row> {
  const seed = new DataView(new Uint8Array(systemRandom.bytes(4)).buffer).getUint32(0)
  const texts = createSpecimens(seed)().map(({ name, value }) =>
    name === undefined ? value : `${name}=${value}`,
  )
  let theirs = 0
  for (const text of texts) if ((await peer(text)) > 0) theirs++
  const ours = texts.filter((it) => redact(it).findings.length > 0).length
  const what = `found of ${texts.length} fakes by our own list`
  return makeRow({ what, measured: ours, unit: "", against: PEER, floor: theirs })
}

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

/** Generated at run time, so that this file contains no key. */
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
