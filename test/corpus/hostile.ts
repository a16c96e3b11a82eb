import { execFileSync } from "node:child_process"
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { dirname, join } from "node:path"

/** Where a generator works, and what must never be seen. */
export type HostilePlace = {
  /** The tree that is walked; each generator has a folder of its own in it. */
  readonly root: string
  /** A folder beside the tree, with a file `secret` whose text is the canary. */
  readonly outside: string
}

/** Of each path below the generator's folder: read, or left out for a reason, or not seen at all. */
export type HostileExpectation = Readonly<Record<string, string>>

type Generator = (folder: string, place: HostilePlace) => HostileExpectation

/** The text that lies outside: whoever shows it has read what is not his. */
export const OUTSIDE_TEXT = "outside-canary-7f3a91"

const servers: Server[] = []

/** Everything of PROMISES (hostile corpus) that a walk, a read or an ignore file can meet. */
const HOSTILE: Readonly<Record<string, Generator>> = {
  "names-that-act": (folder) => {
    const names = [
      "new\nline",
      "carriage\rreturn",
      "tab\t",
      "clear\u001b[2J",
      "copy\u001b]52;c;eA==\u0007",
      "right\u202eleft",
      "-rf",
      "--",
      "a\\b",
      "con",
      "space ",
      "dot.",
      "__proto__.json",
      "..%2fpasswd",
      "$(touch pwned)",
      "`touch pwned`",
      "n".repeat(255),
      "caf\u00e9",
      "cafe\u0301",
      "Case",
      "case",
    ]
    for (const name of names) writeFileSync(join(folder, name), "text\n")
    return Object.fromEntries(names.map((name) => [name, "read"]))
  },
  "names-that-are-no-text": (folder) => {
    const bad = (text: string) => Buffer.concat([Buffer.from(`${folder}/${text}`), BAD_BYTES])
    writeFileSync(bad("file"), "text\n")
    mkdirSync(bad("folder"))
    writeFileSync(Buffer.concat([bad("folder"), Buffer.from("/inner")]), "text\n")
    return { "file\\xff\\xfe": "name-not-utf8", "folder\\xff\\xfe": "name-not-utf8" }
  },
  "names-like-git": (folder) => {
    for (const name of [".git ", ".git.", "git~1", ".gitx"]) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, "config"), "text\n")
    }
    mkdirSync(join(folder, "deeper"))
    return { ".git /config": "read", ".git./config": "read", "git~1/config": "read" }
  },
  links: (folder, { outside }) => {
    mkdirSync(join(folder, "inner"))
    writeFileSync(join(folder, "inner", "file"), "text\n")
    const links: Readonly<Record<string, string>> = {
      self: "self",
      "loop-a": "loop-b",
      "loop-b": "loop-a",
      passwd: "/etc/passwd",
      environ: "/proc/self/environ",
      above: "..",
      dangling: "nowhere",
      "to-outside": join(outside, "secret"),
      "outside-folder": outside,
      "inner-again": "inner",
      "inner/back": "..",
    }
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder, name))
    return {
      ...Object.fromEntries(Object.keys(links).map((name) => [name, "link"])),
      "inner/file": "read",
    }
  },
  "rules-through-links-and-pipes": (folder, { outside }) => {
    mkdirSync(join(folder, "piped"))
    symlinkSync(join(outside, "secret"), join(folder, ".gitignore"))
    execFileSync("mkfifo", [join(folder, "piped", ".gitignore")])
    writeFileSync(join(folder, "file"), "text\n")
    writeFileSync(join(folder, "piped", "file"), "text\n")
    return { ".gitignore": "link", "piped/.gitignore": "special", file: "read" }
  },
  "hard-link": (folder, { outside }) => {
    writeFileSync(join(outside, "shared"), "shared on purpose\n")
    linkSync(join(outside, "shared"), join(folder, "shared"))
    return { shared: "read" }
  },
  types: (folder) => {
    const pipes = Array.from({ length: 8 }, (_, at) => join(folder, `pipe-${at}`))
    execFileSync("mkfifo", pipes)
    servers.push(createServer().listen(join(folder, "socket")).unref())
    writeFileSync(join(folder, "sparse"), "")
    truncateSync(join(folder, "sparse"), 1e12)
    return {
      ...Object.fromEntries(pipes.map((_, at) => [`pipe-${at}`, "special"])),
      socket: "special",
      sparse: "too-large",
    }
  },
  shapes: (folder) => {
    const write = (name: string, content: string | Buffer) =>
      writeFileSync(join(folder, name), content)
    write("one-line.js", "a=1;".repeat(800_000))
    write("brackets.json", "[".repeat(1_000_000))
    write("utf16.txt", Buffer.from("\ufefftext", "utf16le"))
    write("nul.c", "int a;\0int b;\n")
    write("surrogate.txt", Buffer.from([0x61, 0xed, 0xa0, 0x80]))
    write("mark.txt", "\ufefftext\n")
    write("empty", "")
    return {
      "one-line.js": "too-large",
      "brackets.json": "read",
      "utf16.txt": "binary",
      "nul.c": "binary",
      "surrogate.txt": "not-utf8",
      "mark.txt": "read",
      empty: "read",
    }
  },
  depth: (folder) => {
    const deep = join(folder, ...Array.from({ length: 1_000 }, () => "d"))
    mkdirSync(deep, { recursive: true })
    writeFileSync(join(deep, "f"), "text\n")
    return { [Array.from({ length: 64 }, () => "d").join("/")]: "too-deep" }
  },
  "rules-that-explode": (folder) => {
    const rules = [
      `${"*a".repeat(500)}b`,
      `${"**/".repeat(500)}b`,
      `${"[a-z]*".repeat(300)}!`,
      `${"?".repeat(3_000)}`,
      "[".repeat(2_000),
      "\\".repeat(1_001),
    ]
    writeFileSync(join(folder, ".gitignore"), rules.join("\n").repeat(3))
    const name = "a".repeat(200)
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, name), "text\n")
    return { [`${name}/${name}`]: "read" }
  },
  "other-repositories": (folder, { outside }) => {
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    write("clone/.git/HEAD", "ref: refs/heads/main\n")
    write("clone/file", "text\n")
    write("module/.git", `gitdir: ${outside}\n`)
    write("module/file", "text\n")
    write("bare/HEAD", "ref: refs/heads/main\n")
    write("bare/config", "[core]\n\tfsmonitor = touch pwned\n")
    write("bare/refs/x", "")
    write("bare/objects/x", "")
    return { clone: "nested-repository", module: "submodule", bare: "nested-repository" }
  },
  secrets: (folder) => {
    const names = [".env", "server.pem", "id_rsa", ".npmrc", "kubeconfig"]
    for (const name of names) writeFileSync(join(folder, name), "not for reading\n")
    mkdirSync(join(folder, ".aws"))
    writeFileSync(join(folder, ".aws", "config"), "not for reading\n")
    return Object.fromEntries([...names, ".aws/config"].map((name) => [name, "secret-bearing"]))
  },
  installed: (folder) => {
    mkdirSync(join(folder, "node_modules", "x"), { recursive: true })
    writeFileSync(join(folder, "node_modules", "x", "index.js"), "text\n")
    return { node_modules: "installed" }
  },
}

const BAD_BYTES = Buffer.from([0xff, 0xfe])

/** Makes them all; what is expected of each path from the root. */
export function makeHostileTree(place: HostilePlace): ReadonlyMap<string, string> {
  mkdirSync(place.outside, { recursive: true })
  writeFileSync(join(place.outside, "secret"), OUTSIDE_TEXT)
  const expected = new Map<string, string>()
  for (const [name, generate] of Object.entries(HOSTILE)) {
    const folder = join(place.root, name)
    mkdirSync(folder, { recursive: true })
    for (const [path, what] of Object.entries(generate(folder, place)))
      expected.set(`${name}/${path}`, what)
  }
  return expected
}

/** Sockets stay in the tree after this; only we stop listening. */
export function closeHostileSockets(): void {
  for (const server of servers.splice(0)) server.close()
}
