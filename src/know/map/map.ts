import type { ImportFact, LanguageName } from "./facts.ts"
import { LANGUAGES, languageOf } from "./parse/languages.ts"
import type { SourceIndex } from "./source-index.ts"
import { createReaders, type Readers } from "./tree/readers.ts"
import { createWorkers, type ParsedFile, type SourceFile, type Workers } from "./workers.ts"

export type RepoMap = AsyncDisposable & {
  languageOf(path: string, text?: string): LanguageName | undefined
  parseMany: Workers["parseMany"]
  readonly readers: Readers
  resolveImport(from: ImportingFile, imported: ImportFact, index: SourceIndex): readonly string[]
}

type ImportingFile = { readonly path: string; readonly language: LanguageName }

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
