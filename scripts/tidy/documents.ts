import { homedir } from "node:os"
import { posix } from "node:path"
import { type Finding, type Findings, fail, join, report } from "./finding.ts"
import { lineAt, type Source, type Tree } from "./tree.ts"

/** Checks documents: no broken links, no paths of one machine, open ends with a ticket. */
export function checkDocuments(tree: Tree): Findings {
  const texts = [...tree.texts].filter(([path]) => !path.endsWith("package-lock.json"))
  const pages = texts.filter(([path]) => path.endsWith(".md"))
  const places = machinePlaces(tree.root)
  return join([
    fail(
      ...pages.flatMap(([path, text]) => deadLinks(tree, path, text)),
      ...texts.flatMap(([path, text]) => machinePaths(path, text, places)),
    ),
    report(...tree.sources.flatMap(openEnds)),
  ])
}

function deadLinks(tree: Tree, path: string, text: string): readonly Finding[] {
  const prose = withoutCode(text)
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)]
  const references = [...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)]
  return [...inline, ...references]
    .filter((match) => !leadsSomewhere(tree, path, match[1] ?? ""))
    .map((match) => ({
      where: `${path}:${lineAt(prose, match.index)}`,
      wrong: `The link to ${match[1] ?? ""} is broken.`,
      instead: "Correct the path, or remove the link; paths are relative to this page.",
    }))
}

function leadsSomewhere(tree: Tree, path: string, link: string): boolean {
  if (/^(?:[a-z]+:|#|\/\/)/i.test(link)) return true
  const file = decodeURI(link.replace(/[#?].*$/, ""))
  const target = posix.normalize(posix.join(posix.dirname(path), file)).replace(/\/$/, "")
  const isFolder = [...tree.paths].some((it) => it.startsWith(`${target}/`))
  return target === "." || tree.paths.has(target) || isFolder
}

/** Removes examples in fences and backticks, which are not links. Line numbers stay the same. */
function withoutCode(text: string): string {
  const blank = (match: string) => match.replace(/[^\n]/g, " ")
  return text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, blank).replace(/`[^`\n]*`/g, blank)
}

/** The checkout and the home folder of the current user, if long enough to be distinctive. */
function machinePlaces(root: string): readonly string[] {
  return [root, homedir()].filter((place) => place.startsWith("/") && place.length > 1)
}

function machinePaths(path: string, text: string, places: readonly string[]): readonly Finding[] {
  return places
    .map((place) => ({ place, offset: text.search(pathPattern(place)) }))
    .filter(({ offset }) => offset >= 0)
    .map(({ place, offset }) => ({
      where: `${path}:${lineAt(text, offset)}`,
      wrong: `The file contains a path of this machine: ${place}.`,
      instead: "Write the path relative to the repository, or compute it at run time.",
    }))
}

/**
 * Matches a complete path only: not the beginning of a longer name, not the end of another path.
 */
function pathPattern(place: string): RegExp {
  return new RegExp(`(?<![\\w./~}-])${RegExp.escape(place)}(?![\\w.-])`)
}

function openEnds({ path, text, parsed }: Source): readonly Finding[] {
  return parsed.comments
    .filter((comment) => /\b(?:TODO|FIXME)\b(?!\(tk_)/.test(comment.value))
    .map((comment) => ({
      where: `${path}:${lineAt(text, comment.start)}`,
      wrong: "An open end without a ticket.",
      instead: "Do it, delete it, or name the ticket: TODO(tk_...).",
    }))
}
