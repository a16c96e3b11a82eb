import type { ImportFact, LanguageName } from "./facts.ts"
import { LANGUAGES, languageOf } from "./languages.ts"
import type { SourceIndex } from "./source-index.ts"
import { createWorkers, type ParsedFile, type SourceFile, type Workers } from "./workers.ts"

export type RepoMap = AsyncDisposable & {
  /** What a file is written in; undefined for what takes part by path and text only. */
  languageOf(path: string, text?: string): LanguageName | undefined
  parseMany: Workers["parseMany"]
  resolveImport(from: ImportingFile, imported: ImportFact, index: SourceIndex): readonly string[]
}

export type ImportingFile = { readonly path: string; readonly language: LanguageName }

/** The languages of a repository: texts in, facts out, and imports followed from file to file. */
export function createMap(): RepoMap {
  const workers = createWorkers()
  return {
    languageOf,
    parseMany: (files: readonly SourceFile[], options): Promise<readonly ParsedFile[]> =>
      workers.parseMany(files, options),
    resolveImport: ({ path, language }, imported, index) =>
      LANGUAGES[language].resolveImport(imported, path, index),
    [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose](),
  }
}
