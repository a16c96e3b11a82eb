import { isFixture, stringsOf } from "../tidy/language.ts"
import { readTree } from "../tidy/tree.ts"

/** Patterns of secrets and migrations are no texts that a user reads. */
const NOT_TEXTS = /^src\/ground\/secrets\/rules|\/migrations\//

/** All user-visible strings by file, in one place, so that they can be read in one go. */
export function textsPage(root: string): string {
  const sections = readTree(root)
    .sources.filter(({ path, isTest }) => /^(?:src|console\/src)\//.test(path) && !isTest)
    .filter(({ path }) => !isFixture(path) && !NOT_TEXTS.test(path) && !/\.test\.tsx?$/.test(path))
    .map(({ path, parsed }) => {
      const texts = stringsOf(parsed).map(({ value }) =>
        value.replaceAll(/\s*\n\s*/g, " ↵ ").trim(),
      )
      return { path, texts: [...new Set(texts)] }
    })
    .filter(({ texts }) => texts.length > 0)
  const count = sections.reduce((sum, { texts }) => sum + texts.length, 0)
  const pages = sections.map(
    ({ path, texts }) => `## ${path}\n${texts.map((text) => `- ${escape(text)}\n`).join("")}`,
  )
  return `# Texts\n\nGenerated: ${count} strings of two words or more, by file. \`…\` is a value.\n\n${pages.join("\n")}`
}

/** Control characters would make the page a binary file. */
function escape(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, (it) => `\\u${it.codePointAt(0)?.toString(16).padStart(4, "0")}`)
    .replaceAll("<", "&lt;")
    .replaceAll("](", "]\\(")
}
