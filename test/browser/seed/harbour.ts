import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { DEMO_COMMITS } from "#show/app"

type Folders = { readonly home: string; readonly project: string }

/**
 * Harbour software in which quotes and invoices differ by a cent, with the files that agents load.
 */
export async function writeHarbour({ home, project }: Folders): Promise<void> {
  await writeFiles(project, { ...SOURCES, ...CONTEXT })
  await writeFiles(home, {
    ".claude/CLAUDE.md": "Be brief. Say what you did, and what you left.\n",
  })
}

/** 60 similar files, so that a list of them exceeds a context window. */
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

const SOURCES = Object.fromEntries(
  DEMO_COMMITS.flatMap((commit) => Object.entries(commit.files)).filter(
    ([name]) => name.startsWith("src/") || name === "test/rounding.test.ts",
  ),
)

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
