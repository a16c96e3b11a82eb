import path from "node:path"
import { ensureDirectory, listDirectory, pickEnvironment, run, writeFileAtomic } from "#ground/base"
import type { demoOperations, Handlers } from "#ground/contract"
import { DemoFolderUsed } from "../errors.ts"
import type { Services } from "../services.ts"

const GIT_TIMEOUT_MS = 30_000
const GIT_OUTPUT_BYTES = 100_000

type DemoDeps = Pick<Services, "environment" | "resolve">

/** `qm demo`: a small repository with a bug, a history and files that agents load. */
export const demoHandlers = (deps: DemoDeps): Handlers<typeof demoOperations> => ({
  async create({ folder }, { signal }) {
    const root = deps.resolve(folder)
    const listing = await listDirectory(root)
    if (listing.kind === "listed" && listing.entries.length > 0)
      throw DemoFolderUsed({ folder: root })
    const git = gitIn(root, { environment: deps.environment(), signal })
    await ensureDirectory(root)
    const hasGit = await git("init", "--quiet", "--initial-branch=main")
    let commits = 0
    for (const { subject, files } of DEMO_COMMITS) {
      await writeFiles(root, files)
      const isCommitted =
        hasGit &&
        (await git("add", "--all")) &&
        (await git("commit", "--quiet", `--message=${subject}`))
      if (isCommitted) commits++
    }
    const files = new Set(DEMO_COMMITS.flatMap((commit) => Object.keys(commit.files)))
    return { folder: root, files: files.size, commits }
  },
})

async function writeFiles(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name)
    await ensureDirectory(path.dirname(file))
    await writeFileAtomic(file, text)
  }
}

/** Runs git with its own identity and without the user's hooks and signatures; false if it failed. */
function gitIn(root: string, options: { environment: Environment; signal: AbortSignal }) {
  const settings = [
    "user.name=Tideline",
    "user.email=demo@example.invalid",
    "core.hooksPath=/dev/null",
    "commit.gpgSign=false",
  ]
  return async (...args: readonly string[]): Promise<boolean> => {
    const outcome = await run("git", [...settings.flatMap((it) => ["-c", it]), ...args], {
      cwd: root,
      env: pickEnvironment(options.environment, ["PATH", "HOME"]),
      signal: options.signal,
      timeoutMs: GIT_TIMEOUT_MS,
      maxOutputBytes: GIT_OUTPUT_BYTES,
    })
    return outcome.kind === "exited" && outcome.code === 0
  }
}

type Environment = Readonly<Record<string, string | undefined>>

const MONEY =
  "Amounts are integers in minor units, never floats. Rounding is in one place. A quote and its\n" +
  "invoice agree to the cent; if they differ, the invoice is wrong.\n\n"

const skill = (name: string, description: string, text: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${text}`

/** Harbour software in which a quote and its invoice can differ by a cent. */
export const DEMO_COMMITS: readonly { subject: string; files: Readonly<Record<string, string>> }[] =
  [
    {
      subject: "Add quotes with rounding per line",
      files: {
        "README.md": "# Tideline\n\nBerths, stays and tariffs of a harbour.\n",
        "CLAUDE.md": `# Tideline\n\n@docs/conventions.md\n@docs/tides.md\n\n${MONEY}`,
        "AGENTS.md": `# Tideline\n\n${MONEY}Run the tests before you finish.\n`,
        "docs/conventions.md": `# Conventions\n\n${MONEY}Names are nouns.\n`,
        "docs/tariff.md":
          "# Tariff\n\nA berth costs 12.50 per night for boats of up to 10 metres, and 1.20 for each further metre.\n" +
          "Amounts are rounded per line, half to even.\n\n## Changes\n\nA booking may be re-priced within 24 hours after arrival.\n",
        ".claude/rules/testing.md":
          "Write a test for each bug before you fix it. Test names are sentences.\n",
        ".claude/rules/tariff.md": `---\npaths: src/tariff/**\n---\n${MONEY}`,
        ".claude/skills/tariff/SKILL.md": skill("tariff", "Calculate a tariff", MONEY),
        ".claude/settings.json": '{ "permissions": { "allow": ["Read"] } }\n',
        "src/money/cents.ts":
          "/** Divides and rounds half to even, so that sums do not drift. */\nexport function divideHalfEven(amount: number, by: number): number {\n  const exact = amount / by\n  const floor = Math.floor(exact)\n  if (exact - floor !== 0.5) return Math.round(exact)\n  return floor % 2 === 0 ? floor : floor + 1\n}\n",
        "src/tariff/rounding.ts":
          'import { divideHalfEven } from "../money/cents.ts"\n\nexport type Rule = { minorUnits: 0 | 2 }\n\n/** Rounds one line of a quote or an invoice, half to even. */\nexport function roundLine(amount: number, rule: Rule): number {\n  return divideHalfEven(amount, 10 ** rule.minorUnits)\n}\n',
        "src/tariff/quote.ts":
          'import { roundLine, type Rule } from "./rounding.ts"\n\n/** The price of a stay, line by line. */\nexport function quoteTotal(lines: readonly number[], rule: Rule): number {\n  return lines.reduce((sum, line) => sum + roundLine(line, rule), 0)\n}\n',
        "test/rounding.test.ts":
          'import { roundLine } from "../src/tariff/rounding.ts"\n\ntest("half a cent is rounded to the even cent", () => {\n  expect(roundLine(250, { minorUnits: 2 })).toBe(2)\n})\n',
      },
    },
    {
      subject: "Add invoices",
      files: {
        "src/tariff/invoice.ts":
          'import { roundLine, type Rule } from "./rounding.ts"\n\n/** The amount due after a stay. */\nexport function invoiceTotal(lines: readonly number[], rule: Rule): number {\n  return roundLine(\n    lines.reduce((sum, line) => sum + line, 0),\n    rule,\n  )\n}\n',
        "test/invoice.test.ts":
          'import { invoiceTotal } from "../src/tariff/invoice.ts"\n\ntest("an invoice of one line is rounded like its quote", () => {\n  expect(invoiceTotal([250], { minorUnits: 2 })).toBe(2)\n})\n',
      },
    },
    {
      subject: "Split a stay over two berths",
      files: {
        "src/berth/split-stay.ts":
          'import { quoteTotal } from "../tariff/quote.ts"\n\n/** A stay over two berths is quoted as two stays. */\nexport function splitStay(days: readonly number[]): number {\n  const half = Math.ceil(days.length / 2)\n  const rule = { minorUnits: 2 } as const\n  return quoteTotal(days.slice(0, half), rule) + quoteTotal(days.slice(half), rule)\n}\n',
      },
    },
  ]
