import type { Imported } from "../facts.ts"
import { nearest } from "../resolve.ts"
import type { SourceIndex } from "../source-index.ts"

const EXTENSIONS = ["java", "kt", "scala"]

/**
 * Java, Kotlin and Scala see each other. A name is a class in a file of its name, or something a
 * file of that package defines; behind it may stand members and inner classes.
 */
export function resolveJvmImport(
  { specifier, names = [] }: Imported,
  fromPath: string,
  index: SourceIndex,
): readonly string[] {
  const wanted = names.length === 0 ? [specifier] : names.map((it) => `${specifier}.${it}`)
  const files = wanted.flatMap((it) =>
    it.endsWith(".*") ? allOf(it.slice(0, -2), fromPath, index) : fileOf(it, fromPath, index),
  )
  return [...new Set(files)]
}

/** Of a package all files; of a class its own, for its members are meant. */
function allOf(name: string, fromPath: string, index: SourceIndex): readonly string[] {
  const files = index.ofPackage(name)
  return files.length > 0 ? files : fileOf(name, fromPath, index)
}

function fileOf(name: string, fromPath: string, index: SourceIndex): readonly string[] {
  const segments = name.split(".")
  for (let count = segments.length; count > 1; count--) {
    const packageName = segments.slice(0, count - 1).join(".")
    const last = segments[count - 1] ?? ""
    const defining = index.defining(last, packageName)
    if (defining.length > 0) return defining
    const tail = segments.slice(0, count).join("/")
    const found = nearest(
      EXTENSIONS.flatMap((it) => index.endingIn(`${tail}.${it}`)),
      fromPath,
    )
    if (found.length > 0) return found
  }
  return []
}
