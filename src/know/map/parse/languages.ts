import { LANGUAGE_NAMES, type LanguageName } from "../facts.ts"
import { bash } from "../languages/bash.ts"
import { c, cpp } from "../languages/c-family.ts"
import { csharp } from "../languages/csharp.ts"
import { javascript, tsx, typescript } from "../languages/ecmascript.ts"
import { go } from "../languages/go.ts"
import { java, kotlin, scala } from "../languages/jvm.ts"
import { php } from "../languages/php.ts"
import { python } from "../languages/python.ts"
import { ruby } from "../languages/ruby.ts"
import { rust } from "../languages/rust.ts"
import { swift } from "../languages/swift.ts"
import type { Language } from "./language.ts"

export const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
  typescript,
  tsx,
  javascript,
  python,
  go,
  rust,
  java,
  c,
  cpp,
  csharp,
  ruby,
  php,
  kotlin,
  swift,
  scala,
  bash,
}

/** By extension, then by the first line; undefined for text without a grammar. */
export function languageOf(path: string, text = ""): LanguageName | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1)
  const extension = name.lastIndexOf(".") > 0 ? name.slice(name.lastIndexOf(".") + 1) : ""
  const byExtension = BY_EXTENSION.get(extension.toLowerCase())
  if (byExtension === "c" && extension === "h" && CPP_WORDS.test(text)) return "cpp"
  if (byExtension !== undefined || extension !== "") return byExtension
  return BY_INTERPRETER.get(INTERPRETER.exec(text)?.[1] ?? "")
}

const BY_EXTENSION = tableOf((it) => it.extensions)
const BY_INTERPRETER = tableOf((it) => it.interpreters ?? [])
const INTERPRETER = /^#!\s*\/(?:\S*\/)?(?:env\s+(?:-S\s+)?)?([\w.+-]+)/

/** Headers of C and C++ share an extension; these words at the start of a line are not C. */
const CPP_WORDS = /^[ \t]*(?:class|namespace|template|using|public:|private:|protected:)(?![\w-])/m

function tableOf(words: (language: Language) => readonly string[]) {
  return new Map(
    LANGUAGE_NAMES.flatMap((name) => words(LANGUAGES[name]).map((it) => [it, name] as const)),
  )
}
