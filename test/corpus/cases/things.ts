import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { type HostileCase, type HostileCases, leftOut, TEXT, writeFiles } from "./case.ts"

/** The target of each link; `OUT` is the folder beside the tree. */
const LINKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "to-itself": { self: "self" },
  "in-a-circle": { "loop-a": "loop-b", "loop-b": "loop-a" },
  "to-passwords": { passwd: "/etc/passwd" },
  "to-environment": { environ: "/proc/self/environ", fd: "/proc/self/fd/0" },
  upwards: { above: "..", "inner/back": "..", "inner/further": "../.." },
  dangling: { nowhere: "does-not-exist" },
  "to-a-file-outside": { "to-outside": "OUT/secret" },
  "to-a-folder-outside": { "outside-folder": "OUT" },
  "to-a-sibling": { "inner-again": "inner" },
  "to-a-device": { zero: "/dev/zero", stdin: "/dev/stdin" },
  "as-an-ignore-file": { ".gitignore": "OUT/secret", ".qmignore": "/dev/zero" },
  "as-a-git-folder": { "inner/.git": "OUT" },
  "long-chain": Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`l${at}`, `l${at + 1}`])),
}

function linked(links: Readonly<Record<string, string>>): HostileCase {
  return (folder, { outside }) => {
    writeFiles(folder, { "inner/file": TEXT })
    for (const [name, target] of Object.entries(links))
      symlinkSync(target.replace(/^OUT/, outside), join(folder, name))
    const isRepository = Object.hasOwn(links, "inner/.git")
    if (isRepository) return { inner: "nested-repository", "inner/file": "not seen" }
    return {
      ...Object.fromEntries(Object.keys(links).map((name) => [name, "link"])),
      "inner/file": "read",
    }
  }
}

const servers: Server[] = []

export function closeHostileSockets(): void {
  for (const server of servers.splice(0)) server.close()
}

const TYPES: HostileCases = {
  "type-pipes": (folder) => {
    const names = Array.from({ length: 8 }, (_, at) => `pipe-${at}`)
    execFileSync(
      "mkfifo",
      names.map((it) => join(folder, it)),
    )
    return Object.fromEntries(names.map((it) => [it, "special"]))
  },
  "type-pipe-as-an-ignore-file": (folder) => {
    execFileSync("mkfifo", [join(folder, ".gitignore")])
    writeFiles(folder, { file: TEXT })
    return { ".gitignore": "special", file: "read" }
  },
  "type-socket": (folder) => {
    servers.push(createServer().listen(join(folder, "socket")).unref())
    return { socket: "special" }
  },
  // Only root can create one, and not in every container.
  "type-device": (folder) => {
    const { status } = spawnSync("mknod", [join(folder, "zero"), "c", "1", "5"])
    return status === 0 ? { zero: "special" } : {}
  },
  "type-sparse-terabyte": (folder) => {
    writeFileSync(join(folder, "sparse"), "")
    truncateSync(join(folder, "sparse"), 1e12)
    return { sparse: "too-large" }
  },
  "type-hard-link": (folder, { outside }) => {
    writeFileSync(join(outside, "shared"), "shared on purpose\n")
    linkSync(join(outside, "shared"), join(folder, "shared"))
    return { shared: "read" }
  },
  "type-unreadable-file": (folder) => {
    writeFiles(folder, { closed: TEXT })
    chmodSync(join(folder, "closed"), 0)
    return { closed: isRoot() ? "read" : "unreadable" }
  },
  "type-unreadable-folder": (folder) => {
    mkdirSync(join(folder, "closed"))
    chmodSync(join(folder, "closed"), 0)
    return isRoot() ? {} : { closed: "unreadable" }
  },
  "type-thousand-folders-deep": (folder) => {
    const deep = join(folder, ...Array.from({ length: 1_000 }, () => "d"))
    mkdirSync(deep, { recursive: true })
    writeFiles(deep, { f: TEXT })
    return { [Array.from({ length: 64 }, () => "d").join("/")]: "too-deep" }
  },
}

/** Root can read every file. */
function isRoot(): boolean {
  return process.getuid?.() === 0
}

const PRIVATE = "not for reading\n"

const LEFT_OUT: HostileCases = {
  "secret-environment": leftOut("secret-bearing", {
    ".env": PRIVATE,
    ".ENV.local": PRIVATE,
    "prod.env": PRIVATE,
  }),
  "secret-keys": leftOut("secret-bearing", {
    "server.pem": PRIVATE,
    id_rsa: PRIVATE,
    "deep/ID_ED25519": PRIVATE,
  }),
  "secret-logins": leftOut("secret-bearing", {
    ".npmrc": PRIVATE,
    kubeconfig: PRIVATE,
    ".aws/config": PRIVATE,
    ".ssh/known_hosts": PRIVATE,
  }),
  installed: (folder) => {
    const names = ["node_modules", "bower_components", ".venv"]
    for (const name of names) writeFiles(folder, { [`${name}/x/index.js`]: TEXT })
    return Object.fromEntries(names.map((it) => [it, "installed"]))
  },
}

export const THING_CASES: HostileCases = {
  ...Object.fromEntries(Object.entries(LINKS).map(([name, it]) => [`link-${name}`, linked(it)])),
  ...TYPES,
  ...LEFT_OUT,
}
