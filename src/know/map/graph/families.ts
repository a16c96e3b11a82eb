import type { LanguageName } from "../facts.ts"

/** Languages whose files name each other's symbols; every other language keeps to itself. */
const FAMILIES: Partial<Readonly<Record<LanguageName, string>>> = {
  typescript: "ecmascript",
  tsx: "ecmascript",
  javascript: "ecmascript",
  java: "jvm",
  kotlin: "jvm",
  scala: "jvm",
  c: "c",
  cpp: "c",
}

export function familyOf(language: LanguageName | undefined): string | undefined {
  return language === undefined ? undefined : (FAMILIES[language] ?? language)
}

/** Here files of one folder or package see each other without an import. */
const UNASKED: ReadonlySet<LanguageName | undefined> = new Set([
  "go",
  "java",
  "kotlin",
  "scala",
  "csharp",
  "php",
  "swift",
  "c",
  "cpp",
])

export function seesItsPackage(language: LanguageName | undefined): boolean {
  return UNASKED.has(language)
}

/**
 * Members that the collections, texts and promises of the languages themselves have. A call of one
 * is hardly ever meant for the one file of a repository that happens to define the name too.
 */
const EVERYDAY: ReadonlySet<string> = new Set(
  `
  add all any append apply at catch clear close concat contains copy count delete each emplace
  empty end entries equals every extend filter finally find findIndex first flat flatMap flush
  forEach format from get getattr has hasNext hash hashCode includes index indexOf insert isEmpty
  items iter iterator join keys last len length log lower map match max merge min next of on open
  parse pop print push put read reduce remove replace resolve reverse run select send set size
  slice some sort splice split start stop str strip sub substring super test then title toArray
  toList toLowerCase toString trim type unwrap update upper values write zip
`
    .trim()
    .split(/\s+/),
)

/** Whether a name says nothing unless the file itself, its imports or its package have it. */
export function isEveryday(name: string): boolean {
  return EVERYDAY.has(name)
}
