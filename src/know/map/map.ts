import type { ImportFact, LanguageName } from "./facts.ts"
import { LANGUAGES, languageOf } from "./languages.ts"
import type { SourceIndex } from "./source-index.ts"
import { createReaders, type Readers } from "./tree/readers.ts"
import { createWorkers, type ParsedFile, type SourceFile, type Workers } from "./workers.ts"

export type RepoMap = AsyncDisposable & {
  /** What a file is written in; undefined for what takes part by path and text only. */
  languageOf(path: string, text?: string): LanguageName | undefined
  parseMany: Workers["parseMany"]
  /** Everything that an index keeps of texts, read on threads. */
  readonly readers: Readers
  resolveImport(from: ImportingFile, imported: ImportFact, index: SourceIndex): readonly string[]
}

export type ImportingFile = { readonly path: string; readonly language: LanguageName }

/** The languages of a repository: texts in, facts out, and imports followed from file to file. */
export function createMap(): RepoMap {
  const workers = createWorkers()
  const readers = createReaders()
  return {
    languageOf,
    parseMany: (files: readonly SourceFile[], options): Promise<readonly ParsedFile[]> =>
      workers.parseMany(files, options),
    resolveImport: ({ path, language }, imported, index) =>
      LANGUAGES[language].resolveImport(imported, path, index),
    readers,
    async [Symbol.asyncDispose]() {
      await Promise.all([workers[Symbol.asyncDispose](), readers[Symbol.asyncDispose]()])
    },
  }
}
