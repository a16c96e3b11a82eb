import { MOST_NAMED_PATHS } from "../limits.ts"

/**
 * Paths in a text, with or without line numbers, also in stack frames of Node, Python, Java and Go;
 * and the text without them, in which names are looked for.
 */
export function findPaths(text: string): {
  readonly filePaths: readonly string[]
  readonly rest: string
} {
  const found = new Set<string>()
  const withoutFrames = text.replace(JVM_FRAME, (whole, names: string, file: string) => {
    found.add(pathOfFrame(names, file))
    // The class and the method are names all the same.
    return whole.slice(0, whole.indexOf("("))
  })
  const rest = withoutFrames.replace(TOKEN, (token) => {
    if (/^[a-z]{2,10}:\/\//.test(token) && !token.startsWith("file://")) return " "
    const path = pathOf(token)
    if (path === undefined) return token
    found.add(path)
    return " "
  })
  return { filePaths: [...found].slice(0, MOST_NAMED_PATHS), rest }
}

/** One run of signs that paths are made of; nothing in it can be read in two ways. */
const TOKEN = /[\w$@~.+/\\:#%-]{3,1000}/g

/** `at com.acme.Bill.total(Bill.java:12)`: the package is the folder. */
const JVM_FRAME = /\bat ([\w$.]{1,300})\(([\w$-]{1,100}\.(?:java|kt|kts|scala|groovy)):\d{1,7}\)/g

function pathOfFrame(names: string, file: string): string {
  const folders = names.split(".").slice(0, -2)
  return [...folders, file].join("/")
}

function pathOf(token: string): string | undefined {
  const plain = token
    .replace(/^file:\/\//, "")
    .replace(/[.,:;-]{1,20}$/, "")
    .replace(/(?:#L\d{1,7}(?:-L?\d{1,7})?|(?::\d{1,7}){1,2}(?:-\d{1,7})?)$/, "")
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/|~\/|@\/)/, "")
    .replace(/^[A-Za-z]:\//, "/")
  if (plain.includes(":") || plain.includes("//")) return undefined
  const name = plain.slice(plain.lastIndexOf("/") + 1)
  if (PLAIN_NAMES.has(name)) return plain
  const ending = /\.([A-Za-z][A-Za-z0-9]{0,9})$/.exec(name)?.[1]
  if (ending === undefined || name.length === ending.length + 1) return undefined
  // Without a folder only known endings count: `user.name` is no file.
  const isPath = plain.includes("/") || ENDINGS.has(ending.toLowerCase())
  return isPath ? plain : undefined
}

const PLAIN_NAMES: ReadonlySet<string> = new Set(
  "Makefile Dockerfile Gemfile Rakefile Procfile Jenkinsfile Vagrantfile BUILD WORKSPACE".split(
    " ",
  ),
)

const ENDINGS: ReadonlySet<string> = new Set(
  `ts tsx mts cts js jsx mjs cjs py pyi go rs java kt kts scala sc c h cc cpp cxx hpp hh hxx cs rb
  php swift sh bash zsh md mdx rst txt json jsonc json5 yml yaml toml ini cfg conf xml html htm css
  scss less sql proto graphql vue svelte gradle cmake tf hcl lua pl pm r jl ex exs erl hs ml clj
  dart zig nix bat ps1 csproj`
    .trim()
    .split(/\s+/),
)
