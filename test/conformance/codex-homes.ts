import type { HostHome } from "./host-home.ts"

const config = (text: string) => ({ "home/.codex/config.toml": text })
const trusted = (folder: string) => `[projects."{root}/${folder}"]\ntrust_level = "trusted"\n`
const untrusted = (folder: string) => `[projects."{root}/${folder}"]\ntrust_level = "untrusted"\n`
const skill = (name: string, description = `Does ${name}`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nThe text of ${name}.\n`
const mark = [0xef, 0xbb, 0xbf]

/** Homes by topic; each Codex rule (HOSTS-20 to HOSTS-25) is in one of them. */
export const CODEX_HOMES: readonly HostHome[] = [
  { name: "nothing at all", files: {}, cwd: "w" },
  {
    name: "only the person's file",
    files: { "home/.codex/AGENTS.md": " \n USER text \n\n" },
    cwd: "w",
  },
  {
    name: "the person's override",
    files: { "home/.codex/AGENTS.md": "USER", "home/.codex/AGENTS.override.md": "OVER" },
    cwd: "w",
  },
  {
    name: "a blank override of the person",
    files: { "home/.codex/AGENTS.md": "USER", "home/.codex/AGENTS.override.md": " \n" },
    cwd: "w",
  },
  {
    name: "an override of the person that is a folder",
    files: { "home/.codex/AGENTS.md": "USER", "home/.codex/AGENTS.override.md": { dir: true } },
    cwd: "w",
  },
  {
    name: "bytes that are no UTF-8 in the person's file",
    files: { "home/.codex/AGENTS.md": Buffer.from([...mark, 65, 0xff, 66, 13, 10]) },
    cwd: "w",
  },
  {
    name: "bytes that are no UTF-8 in the project's file",
    files: { "w/AGENTS.md": Buffer.from([...mark, 65, 0xff, 0xe6, 0x97, 66, 13, 10, 67, 13, 10]) },
    cwd: "w",
  },
  {
    name: "a blank beyond ASCII at the ends",
    files: {
      "home/.codex/AGENTS.md": "\u0085\u2003USER\u3000\u0085",
      "w/AGENTS.md": "\u0085\u2003",
    },
    cwd: "w",
  },
  {
    name: "no git: the working directory alone",
    files: { "AGENTS.md": "TOP", "w/AGENTS.md": "W", "w/s/AGENTS.md": "S" },
    cwd: "w/s",
  },
  {
    name: "from the top of the repository down",
    files: {
      "AGENTS.md": "ABOVE",
      "home/.codex/AGENTS.md": "USER\n",
      "w/AGENTS.md": "ROOT\n\n",
      "w/a/AGENTS.md": "\n A  \n",
      "w/a/b/AGENTS.md": "B",
      "w/a/b/below/AGENTS.md": "BELOW",
    },
    cwd: "w/a/b",
    git: ["w"],
  },
  {
    name: "empty and blank files between",
    files: { "w/AGENTS.md": "", "w/a/AGENTS.md": " \n ", "w/a/b/AGENTS.md": "B" },
    cwd: "w/a/b",
    git: ["w"],
  },
  {
    name: "an empty override hides the project's file",
    files: { "w/AGENTS.md": "ROOT", "w/AGENTS.override.md": "", "w/s/AGENTS.md": "S" },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "overrides in some folders",
    files: {
      "w/AGENTS.md": "ROOT",
      "w/AGENTS.override.md": "ROOT OVER",
      "w/a/AGENTS.md": "A",
      "w/a/b/AGENTS.override.md": "B OVER",
    },
    cwd: "w/a/b",
    git: ["w"],
  },
  {
    name: "an override that is a folder",
    files: { "w/AGENTS.md": "ROOT", "w/AGENTS.override.md": { dir: true } },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "an override that is a link to nothing",
    files: { "w/AGENTS.md": "ROOT", "w/AGENTS.override.md": { link: "nowhere" } },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "a link that leads to itself stops all",
    files: { "w/AGENTS.md": { link: "AGENTS.md" }, "w/s/AGENTS.md": "S" },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "a link out of the repository",
    files: { "out.md": "OUT", "w/AGENTS.md": { link: "../out.md" } },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "the same file twice by a link",
    files: { "w/AGENTS.md": "SAME", "w/s/AGENTS.md": { link: "../AGENTS.md" } },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "a working directory that is a link",
    files: { "w/AGENTS.md": "ROOT", "w/s/AGENTS.md": "S", l: { link: "w/s" } },
    cwd: "l",
    git: ["w"],
  },
  {
    name: "fallback names",
    files: {
      ...config('project_doc_fallback_filenames = ["CLAUDE.md", " X.md "]\n'),
      "w/CLAUDE.md": "C",
      "w/X.md": "X",
      "w/s/X.md": "SX",
      "w/s/AGENTS.md": "SA",
      "w/s/t/X.md": "TX",
    },
    cwd: "w/s/t",
    git: ["w"],
  },
  {
    name: "an empty fallback hides the next",
    files: {
      ...config('project_doc_fallback_filenames = ["CLAUDE.md", "X.md"]\n'),
      "w/CLAUDE.md": "",
      "w/X.md": "X",
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "fallbacks that are paths or empty",
    files: {
      ...config('project_doc_fallback_filenames = ["docs/A.md", "", "./B.md", "../C.md"]\n'),
      "w/docs/A.md": "A",
      "w/B.md": "B",
      "C.md": "C",
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "no fallback for the person's file",
    files: {
      ...config('project_doc_fallback_filenames = ["CLAUDE.md"]\n'),
      "home/.codex/CLAUDE.md": "C",
    },
    cwd: "w",
  },
  {
    name: "other markers of a project",
    files: {
      ...config('project_root_markers = [".hg", "x.toml"]\n'),
      "AGENTS.md": "TOP",
      "w/x.toml": "",
      "w/AGENTS.md": "W",
      "w/s/AGENTS.md": "S",
    },
    cwd: "w/s",
    git: ["w/s"],
  },
  {
    name: "no markers",
    files: { ...config("project_root_markers = []\n"), "w/AGENTS.md": "W", "w/s/AGENTS.md": "S" },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "a .git file, as in a worktree",
    files: { "w/.git": "gitdir: /nowhere\n", "w/AGENTS.md": "W", "w/s/AGENTS.md": "S" },
    cwd: "w/s",
  },
  {
    name: "a repository in a repository",
    files: { "w/AGENTS.md": "W", "w/s/AGENTS.md": "S" },
    cwd: "w/s",
    git: ["w", "w/s"],
  },
  {
    name: "an empty .git folder",
    files: {
      ...config(trusted("w")),
      "w/.git": { dir: true },
      "w/AGENTS.md": "W",
      "w/s/AGENTS.md": "S",
      "w/.codex/config.toml": 'developer_instructions = "D"\n',
    },
    cwd: "w/s",
  },
  {
    name: "the limit cuts one file",
    files: {
      ...config("project_doc_max_bytes = 10\n"),
      "home/.codex/AGENTS.md": "USER TEXT IS NOT COUNTED",
      "w/AGENTS.md": "0123456789ABC",
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "the limit is for all files together",
    files: {
      ...config("project_doc_max_bytes = 10\n"),
      "w/AGENTS.md": "0123456",
      "w/s/AGENTS.md": "abcdef",
      "w/s/t/AGENTS.md": "XYZ",
    },
    cwd: "w/s/t",
    git: ["w"],
  },
  {
    name: "the limit is reached exactly",
    files: {
      ...config("project_doc_max_bytes = 7\n"),
      "w/AGENTS.md": "0123456",
      "w/s/AGENTS.md": "abcdef",
    },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "one byte is left",
    files: {
      ...config("project_doc_max_bytes = 8\n"),
      "w/AGENTS.md": "0123456",
      "w/s/AGENTS.md": "abcdef",
    },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "the limit inside a character",
    files: { ...config("project_doc_max_bytes = 6\n"), "w/AGENTS.md": "ab日本" },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "the limit leaves only blanks",
    files: {
      ...config("project_doc_max_bytes = 3\n"),
      "w/AGENTS.md": "   abc",
      "w/s/AGENTS.md": "S",
    },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "a limit of nothing",
    files: {
      ...config("project_doc_max_bytes = 0\n"),
      "home/.codex/AGENTS.md": "U",
      "w/AGENTS.md": "W",
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "the limit of 32 KiB unless said otherwise",
    files: {
      "home/.codex/AGENTS.md": `${"U".repeat(100_000)}END`,
      "w/AGENTS.md": "R".repeat(32_767),
      "w/s/AGENTS.md": "SS",
    },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "CODEX_HOME",
    files: {
      "ch/AGENTS.md": "CH",
      "ch/skills/x/SKILL.md": skill("x"),
      "home/.codex/AGENTS.md": "U",
      "home/.codex/skills/y/SKILL.md": skill("y"),
      "home/.agents/skills/z/SKILL.md": skill("z"),
    },
    cwd: "w",
    env: { CODEX_HOME: "{root}/ch" },
  },
  {
    name: "CODEX_HOME that is a link",
    files: {
      "real/AGENTS.md": "U",
      "real/skills/x/SKILL.md": skill("x"),
      ch: { link: "real" },
    },
    cwd: "w",
    env: { CODEX_HOME: "{root}/ch" },
  },
  {
    name: "names with spaces, and a NUL",
    files: { "w o/AGENTS.md": "NUL\0x", "w o/s p/AGENTS.md": "S P" },
    cwd: "w o/s p",
    git: ["w o"],
  },
  {
    name: "the home is the project",
    files: {
      "home/.agents/skills/s/SKILL.md": skill("p"),
      "home/AGENTS.md": "H",
      "home/.codex/AGENTS.md": "U",
    },
    cwd: "home",
    git: ["home"],
  },
  {
    name: "the working directory is Codex's home",
    files: { "home/.codex/AGENTS.md": "U" },
    cwd: "home/.codex",
  },
  {
    name: "an untrusted project",
    files: {
      ...config(untrusted("w")),
      "home/.codex/AGENTS.md": "U",
      "w/AGENTS.md": "W",
      "w/.codex/config.toml": 'developer_instructions = "PD"\n',
      "w/.agents/skills/a/SKILL.md": skill("a"),
      "w/.codex/skills/b/SKILL.md": skill("b"),
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "an untrusted repository, seen from below",
    files: { ...config(untrusted("w")), "w/AGENTS.md": "W", "w/s/AGENTS.md": "S" },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "an untrusted repository with a trusted folder",
    files: {
      ...config(untrusted("w") + trusted("w/s")),
      "w/AGENTS.md": "WWW",
      "w/s/AGENTS.md": "S",
      "w/.codex/config.toml": 'developer_instructions = "RD"\n',
      "w/s/.codex/config.toml": "project_doc_max_bytes = 1\n",
    },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "a config of a project nobody spoke about",
    files: {
      ...config('developer_instructions = "UD\\n"\n'),
      "w/AGENTS.md": "WWW",
      "w/.codex/config.toml": 'developer_instructions = "PD"\nproject_doc_max_bytes = 1\n',
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "a config of a trusted project",
    files: {
      ...config(`developer_instructions = " UD "\n${trusted("w")}`),
      "w/AGENTS.md": "WWWWWW",
      "w/.codex/config.toml":
        'developer_instructions = " PD \\n"\nproject_doc_max_bytes = 2\nproject_root_markers = ["zz"]\n',
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "configs on two levels of a trusted project",
    files: {
      ...config(`project_doc_fallback_filenames = ["U.md"]\n${trusted("w")}`),
      "w/U.md": "U",
      "w/AGENTS.md": "W",
      "w/.codex/config.toml": 'developer_instructions = "RD"\n',
      "w/s/.codex/config.toml":
        'developer_instructions = "SD"\nproject_doc_fallback_filenames = ["Z.md"]\n',
      "w/s/Z.md": "Z",
      "w/s/U.md": "SU",
      "w/s/.codex/skills/b/SKILL.md": skill("b"),
      "w/s/.agents/skills/c/SKILL.md": skill("c"),
      "w/.agents/skills/d/SKILL.md": skill("d"),
    },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "trust of a folder above the repository",
    files: {
      ...config('[projects."{root}"]\ntrust_level = "trusted"\n'),
      "w/.codex/config.toml": 'developer_instructions = "RD"\n',
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "trust without git",
    files: {
      ...config(trusted("w/s")),
      "w/.codex/config.toml": 'developer_instructions = "RD"\n',
      "w/s/.codex/config.toml": 'developer_instructions = "SD"\n',
    },
    cwd: "w/s",
  },
  {
    name: "a worktree is trusted as its repository",
    files: {
      ...config(trusted("main")),
      "main/.git/worktrees/x/gitdir": "{root}/w/.git\n",
      "main/.git/worktrees/x/commondir": "../..\n",
      "main/AGENTS.md": "MAIN",
      "w/.git": "gitdir: {root}/main/.git/worktrees/x\n",
      "w/AGENTS.md": "W",
      "w/.codex/config.toml": 'developer_instructions = "D"\n',
    },
    cwd: "w",
    git: ["main"],
  },
  {
    name: "blank developer instructions",
    files: config('developer_instructions = "  "\n'),
    cwd: "w",
  },
  {
    name: "no developer instructions",
    files: config('developer_instructions = ""\n'),
    cwd: "w",
  },
  {
    name: "a base prompt of one's own",
    files: {
      ...config('model_instructions_file = "base.md"\n'),
      "home/.codex/base.md": "\n BASE HERE\n\n",
    },
    cwd: "w",
  },
  {
    name: "skills in every folder, some of the same name",
    files: {
      "home/.codex/skills/s/SKILL.md": skill("same", "codex"),
      "home/.agents/skills/s/SKILL.md": skill("same", "agents"),
      "w/.agents/skills/s/SKILL.md": skill("same", "repository"),
      "w/s/.agents/skills/s/SKILL.md": skill("same", "below"),
      "w/.agents/skills/imagegen/SKILL.md": skill("imagegen", "mine"),
      "w/.claude/skills/c/SKILL.md": skill("c"),
    },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "skills without git",
    files: {
      "w/.agents/skills/s/SKILL.md": skill("p"),
      "w/s/.agents/skills/s/SKILL.md": skill("below"),
    },
    cwd: "w/s",
  },
  {
    name: "skills that lie deep, hidden or behind links",
    files: {
      "w/.agents/skills/SKILL.md": skill("root"),
      "w/.agents/skills/1/2/3/4/5/6/SKILL.md": skill("six"),
      "w/.agents/skills/1/2/3/4/5/6/7/SKILL.md": skill("seven"),
      "w/.agents/skills/.hidden/SKILL.md": skill("hidden"),
      "w/.agents/skills/lower/skill.md": skill("lower"),
      "out/linked/SKILL.md": skill("linked"),
      "w/.agents/skills/linked": { link: "{root}/out/linked" },
      "out/file.md": skill("file"),
      "w/.agents/skills/file/SKILL.md": { link: "{root}/out/file.md" },
      "w/.agents/skills/loop": { link: "." },
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "skills with odd heads",
    files: {
      "w/.agents/skills/n0/SKILL.md": "no head",
      "w/.agents/skills/n1/SKILL.md": "---\nname: 12\ndescription: 3.40\n---\n",
      "w/.agents/skills/n2/SKILL.md": "---\nname: n2\ndescription: d\nfoo: [\n---\n",
      "w/.agents/skills/n3/SKILL.md": "---\nname: n3\ndescription: [a, b\n---\n",
      "w/.agents/skills/n4/SKILL.md": " --- \nname: n4\ndescription: >-\n  a\n  b: c\n ---\n",
      "w/.agents/skills/n5/SKILL.md": '---\nname: n5\ndescription: "q: x"\nname: dup\n---\n',
      "w/.agents/skills/n6/SKILL.md": "---\nname: n6\ndescription: `tick` it's: so\n---\n",
      "w/.agents/skills/n7/SKILL.md": "\n---\nname: n7\ndescription: x\n---\n",
      "w/.agents/skills/n8/SKILL.md": "---\nname: n8\ndescription: x",
      "w/.agents/skills/n9/SKILL.md": "---\nname: true\ndescription: null\n---\n",
      "w/.agents/skills/o1/SKILL.md": "---\nname: *x\ndescription: y\n---\n",
      "w/.agents/skills/o2/SKILL.md": "---\nname: a:b\ndescription: z\n---\n",
      "w/.agents/skills/o3/SKILL.md": skill("loose", "use this: often # really"),
      "w/.agents/skills/o4/SKILL.md": "---\ndescription: no name\n---\n",
      "w/.agents/skills/o5/SKILL.md": skill("multi", "|\n  one\n  two"),
      "w/.agents/skills/o6/SKILL.md": skill("crlf").replaceAll("\n", "\r\n"),
      "w/.agents/skills/o7/SKILL.md": `\uFEFF${skill("bom")}`,
      "w/.agents/skills/o8/SKILL.md": Buffer.concat([
        Buffer.from(skill("bad")),
        Buffer.from([255]),
      ]),
      "w/.agents/skills/o9/SKILL.md": skill("n".repeat(65)),
      "w/.agents/skills/p1/SKILL.md": skill("n".repeat(64), "L".repeat(1_025)),
      "w/.agents/skills/p2/SKILL.md": skill("exact", "é".repeat(1_024)),
      "w/.agents/skills/Upper Name/SKILL.md": skill("Upper Name"),
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "skills that are switched off, or for people only",
    files: {
      ...config(
        `[[skills.config]]\npath = "{root}/w/.agents/skills/s/SKILL.md"\nenabled = false\n[[skills.config]]\nname = "named"\nenabled = false\n[[skills.config]]\npath = "{root}/w/.agents/skills/v"\nenabled = false\n${trusted("w")}`,
      ),
      "w/.codex/config.toml": '[[skills.config]]\nname = "u"\nenabled = false\n',
      "w/.agents/skills/s/SKILL.md": skill("s"),
      "w/.agents/skills/t/SKILL.md": skill("named"),
      "w/.agents/skills/u/SKILL.md": skill("u"),
      "w/.agents/skills/v/SKILL.md": skill("v"),
      "w/.agents/skills/people/SKILL.md": skill("people"),
      "w/.agents/skills/people/agents/openai.yaml": "policy:\n  allow_implicit_invocation: false\n",
    },
    cwd: "w",
    git: ["w"],
  },
  {
    name: "no bundled skills",
    files: {
      ...config("[skills]\nbundled = { enabled = false }\n"),
      "home/.agents/skills/u/SKILL.md": skill("u"),
    },
    cwd: "w",
  },
  {
    name: "no list of skills",
    files: {
      ...config("[skills]\ninclude_instructions = false\n"),
      "home/.agents/skills/u/SKILL.md": skill("u"),
    },
    cwd: "w",
  },
  {
    name: "a folder of skills that is a link",
    files: {
      "w/.agents/skills/s/SKILL.md": skill("p"),
      "home/.agents/skills": { link: "{root}/w/.agents/skills" },
    },
    cwd: "w",
    git: ["w"],
  },
]
