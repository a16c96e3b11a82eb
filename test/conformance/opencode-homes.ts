import type { HostHome } from "./host-home.ts"

const skill = (name: string, description = `Does ${name}`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\nThe text of ${name}.\n`

export const OPENCODE_HOMES: readonly HostHome[] = [
  { name: "nothing at all", files: {}, cwd: "w", git: ["w"] },
  {
    name: "the person's file and those of the project, nearest first",
    files: {
      "AGENTS.md": "ABOVE",
      "home/.config/opencode/AGENTS.md": " USER\n\n",
      "home/.claude/CLAUDE.md": "NOT USED",
      "w/AGENTS.md": "ROOT\n",
      "w/m/AGENTS.md": "  M\n",
      "w/m/s/AGENTS.md": "S\r\nS2\r\n",
      "w/m/s/CLAUDE.md": "NOT USED",
      "w/m/s/below/AGENTS.md": "BELOW",
    },
    cwd: "w/m/s",
    git: ["w"],
  },
  {
    name: "files of Claude Code where there is no AGENTS.md, and an empty file",
    files: {
      "home/.claude/CLAUDE.md": "USER",
      "w/CLAUDE.md": "ROOT",
      "w/s/CLAUDE.md": "",
      "w/CONTEXT.md": "NOT USED",
    },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "no files of Claude Code",
    files: {
      "home/.claude/CLAUDE.md": "NOT USED",
      "home/.claude/skills/hidden/SKILL.md": skill("hidden"),
      "w/CLAUDE.md": "NOT USED",
      "w/CONTEXT.md": "CONTEXT",
    },
    cwd: "w",
    git: ["w"],
    env: { OPENCODE_DISABLE_CLAUDE_CODE: "1" },
  },
  {
    name: "no git",
    files: { "w/AGENTS.md": "W", "w/s/AGENTS.md": "S" },
    cwd: "w/s",
  },
  {
    name: "files that the settings name, and a server that is off",
    files: {
      "w/opencode.json": JSON.stringify({ instructions: ["extra.md", "missing.md"] }),
      "w/s/.opencode/opencode.jsonc": '{ "instructions": ["near.md"], /* a comment */ }',
      "w/extra.md": "EXTRA",
      "w/s/near.md": "NEAR",
      "w/near.md": "TOP",
    },
    cwd: "w/s",
    git: ["w"],
  },
  {
    name: "skills of every folder",
    files: {
      "home/.config/opencode/skills/us/SKILL.md": skill("us", "Does <us> & more"),
      "home/.agents/skills/ua/SKILL.md": skill("ua"),
      "home/.agents/skills/a&b/SKILL.md": skill("a&b"),
      "home/.claude/skills/uc/SKILL.md": skill("uc"),
      "w/.opencode/skills/ps/SKILL.md": skill("ps"),
      "w/.opencode/skill/one/SKILL.md": skill("one"),
      "w/.claude/skills/cs/SKILL.md": skill("cs"),
      "w/.agents/skills/as/SKILL.md": skill("as"),
      "w/.claude/skills/broken/SKILL.md": "no frontmatter",
    },
    cwd: "w",
    git: ["w"],
  },
]

/** opencode loads one of the two, and which one changes from start to start. */
export const SAME_SKILL_NAME: HostHome = {
  name: "two skills of one name",
  files: {
    "home/.config/opencode/skills/us/SKILL.md": skill("us", "Of the person"),
    "w/.claude/skills/us/SKILL.md": skill("us", "Of the project"),
  },
  cwd: "w",
  git: ["w"],
}
