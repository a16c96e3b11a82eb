import { withoutHiddenCharacters } from "#ground/base"
import type { MapSymbol } from "#ground/contract"
import type { FileClass } from "#see/repo"
import type { Problem } from "../facts.ts"
import type { LinkEnd } from "../graph/links.ts"
import type { Content, ContentSymbol, IndexedFile } from "../tree/types.ts"

export type Redact = (text: string) => string

/** Removes invisible characters first, because they may hide a secret. */
export function withoutTricks(redact: Redact): Redact {
  return (text) => redact(withoutHiddenCharacters(text))
}

export function describeSymbol(path: string, symbol: ContentSymbol, redact: Redact): MapSymbol {
  const { name, kind, parent, signature, fromLine, toLine, isExported, tokens, doc } = symbol
  return {
    path,
    name: redact(name),
    kind,
    ...(parent !== undefined && { parent: redact(parent) }),
    signature: redact(signature),
    fromLine,
    toLine,
    isExported,
    tokens,
    ...(doc !== undefined && { doc: redact(doc) }),
  }
}

export function describeEnd(
  file: IndexedFile,
  content: Content | undefined,
  { end, redact }: { readonly end: LinkEnd; readonly redact: Redact },
): MapSymbol {
  const symbol = end.symbol === undefined ? undefined : content?.symbols[end.symbol]
  if (symbol !== undefined) return describeSymbol(file.path, symbol, redact)
  return {
    path: file.path,
    name: redact(file.path.slice(file.path.lastIndexOf("/") + 1)),
    kind: "module",
    signature: redact(file.path),
    fromLine: 1,
    toLine: Math.max(1, file.lines),
    isExported: true,
    tokens: file.tokens,
  }
}

export function describeProblem({ reason, line }: Problem): string {
  const words = PROBLEMS[reason]
  return line === undefined ? words : `${words}, line ${line}`
}

const PROBLEMS: Readonly<Record<Problem["reason"], string>> = {
  "too-large": "too large to be parsed",
  "line-too-long": "a line is too long to be parsed",
  "too-slow": "took too long to be parsed",
  "too-many": "has too many names",
  syntax: "could not be parsed completely",
  crashed: "crashed the parser",
}

export function describeUnread(fileClass: FileClass): string {
  return UNREAD[fileClass] ?? "not read"
}

const UNREAD: Partial<Readonly<Record<FileClass, string>>> = {
  secret: "not opened: may contain secrets",
  vendored: "not read: vendored",
  lock: "not read: lock file",
  data: "not read: data",
  minified: "not read: minified",
  generated: "not read: generated",
}
