import { chownSync } from "node:fs"
import { join } from "node:path"
import { type Files, files, type HostileCase, type HostileCases, readable, TEXT } from "./case.ts"

const HEAD = "ref: refs/heads/main\n"
const RUNS = "[core]\n\tfsmonitor = touch pwned\n\thooksPath = .\n"

/** A nested repository: the walk does not enter it, whatever its git folder contains. */
function nested(gitFolder: Files): HostileCase {
  const inGit = Object.entries(gitFolder).map(([path, text]) => [`clone/.git/${path}`, text])
  return files(
    { "clone/.git/HEAD": HEAD, "clone/file": TEXT, ...Object.fromEntries(inGit) },
    { clone: "nested-repository", "clone/file": "not seen", "clone/.git/HEAD": "not seen" },
  )
}

export const REPOSITORY_CASES: HostileCases = {
  "git-clone-with-commands": nested({ config: RUNS, "hooks/post-checkout": "touch pwned\n" }),
  "git-clone-with-worktree-config": nested({
    config: "[extensions]\n\tworktreeConfig = true\n[include]\n\tpath = /etc/passwd\n",
    "config.worktree": RUNS,
  }),
  "git-clone-that-borrows": nested({ "objects/info/alternates": "/\n" }),
  "git-clone-with-replacements": nested({ "refs/replace/x": `${"0".repeat(40)}\n` }),
  "git-clone-with-bogus-refs": nested({
    "packed-refs": `${"\0\u001b[2J".repeat(1_000)} refs/heads/main\n`,
    "refs/heads/\u001b[2J": "x",
  }),
  "git-clone-with-a-promisor": nested({
    config: '[remote "o"]\n\tpromisor = true\n\turl = ext::touch pwned\n',
  }),
  "git-clone-of-a-stranger": (folder, place) => {
    const expected = nested({ config: RUNS })(folder, place)
    if (process.getuid?.() === 0) chownSync(join(folder, "clone", ".git"), 12_345, 12_345)
    return expected
  },
  "git-bare-inside": files(
    { "bare/HEAD": HEAD, "bare/config": RUNS, "bare/refs/x": "", "bare/objects/x": "" },
    { bare: "nested-repository", "bare/config": "not seen" },
  ),
  "git-file-that-points-elsewhere": files(
    { "module/.git": "gitdir: /\n", "module/file": TEXT },
    { module: "submodule", "module/file": "not seen" },
  ),
  "git-modules-with-commands": readable({
    ".gitmodules": [
      '[submodule "-u"]',
      "\tpath = -u./x",
      "\turl = ext::sh -c touch% pwned",
      "\tupdate = !touch pwned",
      '[submodule "x\r"]',
      "\tpath = x\r",
      "\turl = --upload-pack=touch pwned",
      "",
    ].join("\n"),
    ".gitattributes": "* filter=x diff=x merge=x\n",
  }),
}
