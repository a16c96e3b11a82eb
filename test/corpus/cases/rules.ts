import { files, type HostileCase, type HostileCases, TEXT } from "./case.ts"

const NAME = "a".repeat(200)

const EXPLODING: Readonly<Record<string, string>> = {
  stars: `${"*a".repeat(500)}b`,
  folders: `${"**/".repeat(500)}b`,
  classes: `${"[a-z]*".repeat(300)}!`,
  "question-marks": "?".repeat(3_000),
  "open-brackets": "[".repeat(2_000),
  backslashes: "\\".repeat(1_001),
}

function ruled(rules: string): HostileCase {
  return files(
    { ".gitignore": `${rules}\n`.repeat(3), [`${NAME}/${NAME}`]: TEXT },
    { [`${NAME}/${NAME}`]: "read" },
  )
}

export const RULE_CASES: HostileCases = {
  ...Object.fromEntries(
    Object.entries(EXPLODING).map(([name, rules]) => [`rules-${name}`, ruled(rules)]),
  ),
  "rules-too-large": files(
    { ".gitignore": "x\n".repeat(200_000), x: TEXT },
    { ".gitignore": "rules-not-read", x: "read" },
  ),
  "rules-too-many": files(
    { ".qmignore": `${"n\n".repeat(5_000)}late\n`, n: TEXT, late: TEXT },
    { n: "not seen", late: "read" },
  ),
  "rules-for-everything": files(
    { ".ignore": "*\n!.ignore\n", file: TEXT, "folder/file": TEXT },
    { ".ignore": "read", file: "not seen", "folder/file": "not seen" },
  ),
  "rules-that-lead-out": files(
    { ".gitignore": "../*\n/../../\n!/etc/passwd\n", file: TEXT },
    { file: "read" },
  ),
}
