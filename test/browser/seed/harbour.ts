import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"

type Folders = { readonly home: string; readonly project: string }

/** Harbour software in which quotes and invoices differ by a cent, and what agents load there. */
export async function writeHarbour({ home, project }: Folders): Promise<void> {
  await writeFiles(project, { ...SOURCES, ...CONTEXT })
  await writeFiles(home, {
    ".claude/CLAUDE.md": "Be brief. Say what you did, and what you left.\n",
  })
}

/** 60 files of one kind, so that a list of them is too large for a context window. */
export async function writeQuays(project: string): Promise<void> {
  const quays = Array.from({ length: 60 }, (_, at) => [
    `src/tariff/quay-${at}.ts`,
    `import { roundLine } from "./rounding.ts"\n\n${QUAY.replaceAll("$", String(at))}`,
  ])
  await writeFiles(project, Object.fromEntries(quays))
}

export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}

const SOURCES: Readonly<Record<string, string>> = {
  "src/tariff/rounding.ts":
    'import { divideHalfEven } from "../money/cents.ts"\n\nexport type Rule = { minorUnits: 0 | 2 }\n\n/** Rounds one line of a quote or an invoice, half to even. */\nexport function roundLine(amount: number, rule: Rule): number {\n  return divideHalfEven(amount, 10 ** rule.minorUnits)\n}\n',
  "src/tariff/quote.ts":
    'import { roundLine, type Rule } from "./rounding.ts"\n\n/** What a stay will cost, line by line. */\nexport function quoteTotal(lines: readonly number[], rule: Rule): number {\n  return lines.reduce((sum, it) => sum + roundLine(it, rule), 0)\n}\n',
  "src/tariff/invoice.ts":
    'import { roundLine, type Rule } from "./rounding.ts"\n\n/** What a stay did cost. */\nexport function invoiceTotal(lines: readonly number[], rule: Rule): number {\n  return roundLine(\n    lines.reduce((sum, it) => sum + it, 0),\n    rule,\n  )\n}\n',
  "src/money/cents.ts":
    "/** Divides and rounds half to even, so that sums do not drift. */\nexport function divideHalfEven(amount: number, by: number): number {\n  const exact = amount / by\n  const floor = Math.floor(exact)\n  if (exact - floor !== 0.5) return Math.round(exact)\n  return floor % 2 === 0 ? floor : floor + 1\n}\n",
  "src/berth/split-stay.ts":
    'import { quoteTotal } from "../tariff/quote.ts"\n\n/** A stay over two berths is quoted as two. */\nexport function splitStay(days: readonly number[]): number {\n  const half = Math.ceil(days.length / 2)\n  const rule = { minorUnits: 2 } as const\n  return quoteTotal(days.slice(0, half), rule) + quoteTotal(days.slice(half), rule)\n}\n',
  "test/rounding.test.ts":
    'import { roundLine } from "../src/tariff/rounding.ts"\n\ntest("half a cent goes to the even one", () => {\n  expect(roundLine(250, { minorUnits: 2 })).toBe(2)\n})\n',
}

const MONEY =
  "Amounts are integers in minor units, never floats. Rounding lives in one place. A quote and " +
  "its invoice agree to the cent; if not, the invoice is the bug.\n\n"

const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${MONEY.repeat(6)}`

const CONTEXT: Readonly<Record<string, string>> = {
  "CLAUDE.md": `# Tideline\n\n@docs/conventions.md\n@docs/tides.md\n\n${MONEY}`,
  "docs/conventions.md": `# Conventions\n\n${MONEY}Names are nouns.\n`,
  ".claude/rules/testing.md": "Tests are sentences.\n".repeat(8),
  ".claude/rules/tariff.md": `---\npaths: src/tariff/**\n---\n${MONEY}`,
  ".claude/skills/tariff/SKILL.md": skill("tariff", "Work out a tariff"),
  ".claude/skills/berth/SKILL.md": skill("berth", "Find a free berth"),
  ".claude/settings.json": '{ "permissions": { "allow": ["Read"] } }\n',
}

const QUAY =
  "/** What a stay at quay $ costs: a fee for the berth, one for each day, and dues by length. */\nexport function stayAtQuay$(days: number, metres: number) {\n  const rule = { minorUnits: 2 } as const\n  const berth = roundLine(12_50 + $, rule)\n  const dues = roundLine(metres * 3_17, rule)\n  return berth + dues + days * roundLine(4_99 + metres / 3, rule)\n}\n"
