import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { z } from "zod"
import { systemRandom } from "#ground/base"
import { createSecrets, redactKeepingLines } from "#ground/secrets"
import { type Bench, type BenchContext, makeRow, type Row } from "./frame.ts"

const PEER = "gitleaks"

/** One line of the data: a text, and the numbers of its lines that contain a secret. */
const LabelledText = z.object({ text: z.string(), secrets: z.array(z.int().min(1)) })
type LabelledText = z.infer<typeof LabelledText>

export const bench: Bench = {
  name: "secrets",
  about:
    "findings in the installed packages; precision, recall and F1 on labelled lines (--data texts.jsonl), beside gitleaks",
  async run(context) {
    const packages = countInPackages(path.join(context.root, "node_modules"))
    if (context.data === undefined) {
      context.note("precision and recall need --data with labelled texts (bench/README.md)")
      return [packages]
    }
    const texts = readFileSync(context.data, "utf8")
      .split("\n")
      .filter((it) => it !== "")
      .map((it) => LabelledText.parse(JSON.parse(it)))
    const { redact } = createSecrets({ random: systemRandom })
    const ours = scoreOf(texts, new Set(texts.flatMap((it, at) => changedLines(it, at, redact))))
    const peerLines = findWithPeer(texts, context.note)
    const theirs = peerLines === undefined ? undefined : scoreOf(texts, peerLines)
    const lines = texts.reduce((sum, it) => sum + it.text.split("\n").length, 0)
    return [
      packages,
      ...(["precision", "recall", "f1"] as const).map((name) =>
        rowOf(`${name} on ${lines} lines`, ours[name], theirs?.[name]),
      ),
    ]
  },
}

/** The findings of the first version in 400 MB of packages. */
const MOST_FINDINGS = 52
const PACKAGES_MEGABYTES = 400

/** Larger files are data, such as the tables of a tokenizer. */
const LARGEST_TEXT_BYTES = 30_000_000

/** Few packages contain a secret, so nearly every finding is false, or an example in a document. */
function countInPackages(folder: string): Row {
  const { redact } = createSecrets({ random: systemRandom })
  let [bytes, findings] = [0, 0]
  for (const file of filesBelow(folder)) {
    if (statSync(file).size > LARGEST_TEXT_BYTES) continue
    const content = readFileSync(file)
    if (content.subarray(0, 8_000).includes(0)) continue
    bytes += content.length
    findings += redact(content.toString("utf8")).findings.length
  }
  const megabytes = bytes / 1_000_000
  return makeRow({
    what: `findings in ${Math.round(megabytes)} MB of packages`,
    measured: findings,
    unit: "findings",
    against: "the first version",
    floor: (MOST_FINDINGS * megabytes) / PACKAGES_MEGABYTES,
    bar: {
      words: `at most ${MOST_FINDINGS} in ${PACKAGES_MEGABYTES} MB`,
      holds: (count, most) => count <= most,
    },
  })
}

/** Without folders such as `.cache`, which are no packages. */
function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory() && !entry.name.startsWith(".")) yield* filesBelow(file)
    if (entry.isFile()) yield file
  }
}

type Redact = ReturnType<typeof createSecrets>["redact"]

function changedLines({ text }: LabelledText, at: number, redact: Redact): readonly string[] {
  const after = redactKeepingLines(text, redact).split("\n")
  return text
    .split("\n")
    .flatMap((line, index) => (line === after[index] ? [] : [idOf(at, index + 1)]))
}

function idOf(text: number, line: number): string {
  return `${text}:${line}`
}

function rowOf(what: string, measured: number, floor: number | undefined): Row {
  const against = floor === undefined ? "a perfect score" : PEER
  return makeRow({ what, measured: measured * 100, unit: "%", against, floor: (floor ?? 1) * 100 })
}

function scoreOf(texts: readonly LabelledText[], findings: ReadonlySet<string>) {
  const secrets = texts.flatMap((it, at) => it.secrets.map((line) => idOf(at, line)))
  const hits = secrets.filter((it) => findings.has(it)).length
  const precision = findings.size === 0 ? 0 : hits / findings.size
  const recall = secrets.length === 0 ? 0 : hits / secrets.length
  const sum = precision + recall
  return { precision, recall, f1: sum === 0 ? 0 : (2 * precision * recall) / sum }
}

const Leaks = z.array(z.object({ File: z.string(), StartLine: z.int(), EndLine: z.int() }))

function findWithPeer(
  texts: readonly LabelledText[],
  note: BenchContext["note"],
): ReadonlySet<string> | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), "qm-bench-secrets-"))
  try {
    for (const [at, { text }] of texts.entries()) {
      writeFileSync(path.join(folder, `${at}.txt`), text)
    }
    const report = path.join(folder, "report.json")
    const args = [
      "detect",
      "--no-git",
      "--no-banner",
      "--exit-code",
      "0",
      "--report-format",
      "json",
    ]
    const ran = spawnSync(PEER, [...args, "--source", folder, "--report-path", report])
    if (ran.error !== undefined || ran.status !== 0) {
      note("gitleaks is not on the PATH, or it failed: the figures stand alone")
      return undefined
    }
    return new Set(Leaks.parse(JSON.parse(readFileSync(report, "utf8"))).flatMap(linesOf))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function linesOf({ File, StartLine, EndLine }: z.infer<typeof Leaks>[number]): readonly string[] {
  const text = Number(path.basename(File, ".txt"))
  return Array.from({ length: EndLine - StartLine + 1 }, (_, at) => idOf(text, StartLine + at))
}
