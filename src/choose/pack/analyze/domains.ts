import { RuleInvalid } from "../errors.ts"

/** A part of the tree that has a name. */
export type Domain = { readonly prefix: string; readonly name: string }

/** `src/billing=billing; web=frontend`, the longest prefix first. */
export function readDomains(setting: string): readonly Domain[] {
  const rules = setting.split(";").map((it) => it.trim())
  return rules
    .filter((it) => it !== "")
    .map((rule) => {
      const [prefix = "", name = "", ...rest] = rule.split("=").map((it) => it.trim())
      const isWhole = prefix !== "" && name !== "" && rest.length === 0
      if (!isWhole) throw RuleInvalid({ setting: "pack.domains", rule, wrong: "not prefix=name" })
      return { prefix: prefix.replace(/^\.\//, ""), name }
    })
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
}

/** By the first path that lies in a domain, else by a word that is a domain's name. */
export function domainOf(
  said: { readonly filePaths: readonly string[]; readonly keywords: readonly string[] },
  domains: readonly Domain[],
): string | undefined {
  for (const path of said.filePaths) {
    const domain = domains.find((it) => path.startsWith(it.prefix))
    if (domain !== undefined) return domain.name
  }
  const words = new Set(said.keywords)
  return domains.find((it) => words.has(it.name.toLowerCase()))?.name
}
