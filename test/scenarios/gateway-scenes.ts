import { hash } from "node:crypto"
import { crc32, deflateSync } from "node:zlib"
import type { Call, ModelTurn, ScriptedStory } from "#test/strict-anthropic"

/**
 * The folder of a scene, in the format of the host's tools, and a tag that makes its marker words
 * unique.
 */
export type SceneFolder = { readonly folder: string; readonly tag: string }

/**
 * One small story about a branch. `has` are words that the last request must contain, `lacks` words
 * that earlier requests had and the last one must not; every other earlier word must stay.
 */
export type Scene = {
  readonly tag: string
  readonly title: string
  readonly says: (place: SceneFolder) => readonly ModelTurn[]
  readonly others?: (place: SceneFolder) => readonly ScriptedStory[]
  readonly files?: Readonly<Record<string, string | Buffer>>
  /** Prompts after the first one, each sent after the previous one is answered. */
  readonly prompts?: readonly string[]
  /** Number of its folded branches in the last request of the main conversation. */
  readonly folded: number
  readonly pictures?: number
  readonly has: readonly string[]
  readonly lacks: readonly string[]
  /** Number of requests whose thinking the host's own /compact may have moved. */
  readonly ownMismatches?: number
  /** Words that the host's own /compact may remove. */
  readonly mayGo?: boolean
}

export const GO = "go now"

export function beginningOf({ tag }: Scene): string {
  return `begin ${tag}`
}

/** A word with the scene's tag; marks of the host and of other rooms are unchanged. */
export function wordOf({ tag }: Scene, word: string): string {
  return /^(?:WORD|RESULT|AGENT|USER)-\w$/.test(word) ? `${word}-${tag}` : word
}

/** Large enough for a fold, with words that identify it. */
export function wordFile(word: string): string {
  return `${word}\n${"a line of no interest\n".repeat(150)}`
}

export function wordFiles(tag: string, secret = ""): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [1, 2, 3, 4].map((it) => [`${tag}/w${it}.txt`, `${wordFile(`WORD-${it}-${tag}`)}${secret}`]),
  )
}

/** A fake, made at run time. */
export function fakeToken(name: string): string {
  return `ghp_${hash("sha256", name).slice(0, 36)}`
}

export const open = (as: string, more: object = {}): Call => ({
  use: "mcp__qm__branch",
  as,
  input: { description: `Look into ${as}`, prompt: `Find out about ${as}.`, ...more },
})
export const close = (place: SceneFolder, name: string): Call => ({
  use: "mcp__qm__return",
  input: { branch_id: `$${name}`, message: `RESULT-${name}-${place.tag} is what was found.` },
})
export const read = (place: SceneFolder, file: string): Call => ({
  use: "Read",
  input: { file_path: `${place.folder}/${file}` },
})

const toNobody = ({ tag }: SceneFolder): Call => ({
  use: "mcp__qm__return",
  input: { branch_id: `br_${"0".repeat(32)}`, message: `To nobody, ${tag}.` },
})

const SKILL = `---
name: tidy
description: Tidies things up.
---

SKILL-1: put everything where it belongs.
`

const HOOK_SAYS = {
  hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "HOOK-1 saw a tool." },
}
const HOOK = { type: "command", command: `echo '${JSON.stringify(HOOK_SAYS)}'` }

const SCENES: readonly Scene[] = [
  {
    tag: "s01",
    title: "a branch beside a read, a return beside a read",
    says: (at) => [
      [open("A"), read(at, "w1.txt")],
      [read(at, "w2.txt")],
      [close(at, "A"), read(at, "w3.txt")],
      "Done.",
    ],
    folded: 1,
    has: ["RESULT-A", "WORD-1", "WORD-3"],
    lacks: ["WORD-2"],
  },
  {
    tag: "s02",
    title: "a branch in a branch",
    says: (at) => [
      [open("A")],
      [read(at, "w1.txt")],
      [open("B")],
      [read(at, "w2.txt")],
      [close(at, "B")],
      [read(at, "w3.txt")],
      [close(at, "A")],
      [read(at, "w4.txt")],
      "Done.",
    ],
    folded: 1,
    has: ["RESULT-A", "WORD-4"],
    lacks: ["WORD-1", "WORD-2", "WORD-3", "RESULT-B"],
  },
  {
    tag: "s03",
    title: "two branches in one message",
    says: (at) => [
      [open("A"), open("B")],
      [read(at, "w1.txt")],
      [close(at, "B")],
      [read(at, "w2.txt")],
      [close(at, "A")],
      "Done.",
    ],
    folded: 2,
    has: ["RESULT-A", "RESULT-B"],
    lacks: ["WORD-1", "WORD-2"],
  },
  {
    tag: "s04",
    title: "branches that overlap stay, both",
    says: (at) => [
      [open("A")],
      [read(at, "w1.txt")],
      [open("B", { parent_branch_id: "root" })],
      [read(at, "w2.txt")],
      [close(at, "A")],
      [read(at, "w3.txt")],
      [close(at, "B")],
      "Done.",
    ],
    folded: 0,
    has: ["RESULT-A", "RESULT-B", "WORD-1", "WORD-2", "WORD-3"],
    lacks: [],
  },
  {
    tag: "s05",
    title: "a branch that is never ended stays",
    says: (at) => [[open("A")], [read(at, "w1.txt")], "Done."],
    folded: 0,
    has: ["WORD-1"],
    lacks: [],
  },
  {
    tag: "s06",
    title: "a return that fails, then a good one",
    says: (at) => [[open("A")], [read(at, "w1.txt")], [toNobody(at)], [close(at, "A")], "Done."],
    folded: 1,
    has: ["RESULT-A"],
    lacks: ["WORD-1", "To nobody, s06."],
  },
  {
    tag: "s07",
    title: "a return that is said twice",
    says: (at) => [[open("A")], [read(at, "w1.txt")], [close(at, "A")], [close(at, "A")], "Done."],
    folded: 1,
    has: ["RESULT-A", "FOLD_ALREADY_COMPLETED"],
    lacks: ["WORD-1"],
  },
  {
    tag: "s08",
    title: "two returns in one message",
    says: (at) => [
      [open("A")],
      [read(at, "w1.txt")],
      [open("B")],
      [read(at, "w2.txt")],
      [close(at, "B"), close(at, "A")],
      "Done.",
    ],
    folded: 1,
    has: ["RESULT-A", "RESULT-B"],
    lacks: ["WORD-1", "WORD-2"],
  },
  {
    tag: "s09",
    title: "a branch and a return in one message have nothing to fold",
    says: (at) => [[open("A"), toNobody(at)], [read(at, "w1.txt")], "Done."],
    folded: 0,
    has: ["WORD-1", "FOLD_NOT_FOUND"],
    lacks: [],
  },
  {
    tag: "s10",
    title: "a sub-agent folds its own branch, and its parent its own",
    says: (at) => [
      [agent(at, "dig here")],
      [open("A")],
      [read(at, "w1.txt")],
      [close(at, "A")],
      [read(at, "w2.txt")],
      "Done.",
    ],
    others: (at) => [
      {
        hears: `dig here-${at.tag}`,
        says: [
          [open("B")],
          [read(at, "w3.txt")],
          [close(at, "B")],
          `AGENT-1-${at.tag} has looked.`,
        ],
      },
    ],
    folded: 1,
    has: ["RESULT-A", "WORD-2", "AGENT-1"],
    lacks: ["WORD-1"],
  },
  {
    tag: "s11",
    title: "a sub-agent inside a branch leaves with it; the word of one in the background stays",
    says: (at) => [
      [open("A")],
      [agent(at, "dig here", "Explore")],
      [backgroundAgent(at, "look there")],
      [{ ...read(at, "w1.txt"), after: `look there-${at.tag}` }],
      [close(at, "A")],
      [read(at, "w2.txt")],
      "Done.",
    ],
    others: (at) => [
      {
        hears: `dig here-${at.tag}`,
        says: [[read(at, "w3.txt")], `AGENT-1-${at.tag} has looked.`],
      },
      {
        hears: `look there-${at.tag}`,
        says: [[read(at, "w4.txt")], `AGENT-2-${at.tag} has looked.`],
      },
    ],
    folded: 1,
    has: ["RESULT-A", "WORD-2", "AGENT-2"],
    lacks: ["WORD-1", "AGENT-1"],
  },
  {
    tag: "s13",
    title: "what the user types and attaches inside an open branch stays",
    prompts: ["USER-1-s13 says: look at @s13/w2.txt"],
    says: (at) => [
      [open("A")],
      [read(at, "w1.txt")],
      "I wait.",
      [read(at, "w3.txt")],
      [close(at, "A")],
      "Done.",
    ],
    folded: 1,
    has: ["RESULT-A", "USER-1", "WORD-2"],
    lacks: ["WORD-1", "WORD-3", "I wait."],
  },
  {
    tag: "s14",
    title: "pictures inside and outside",
    files: {
      "s14/one.png": picture(10),
      "s14/two.png": picture(120),
      "s14/three.png": picture(230),
    },
    says: (at) => [
      [read(at, "one.png")],
      [open("A")],
      [read(at, "two.png"), read(at, "w1.txt")],
      [close(at, "A")],
      [read(at, "three.png")],
      "Done.",
    ],
    folded: 1,
    pictures: 2,
    has: ["RESULT-A"],
    lacks: ["WORD-1"],
  },
  {
    tag: "s15",
    title: "a /compact after a fold",
    prompts: ["/compact", "go on"],
    says: (at) => [
      [open("A")],
      [read(at, "w1.txt")],
      [close(at, "A")],
      [read(at, "w2.txt")],
      "Done.",
      "And on.",
    ],
    folded: 0,
    has: ["SUMMARY-1"],
    lacks: [],
    mayGo: true,
    ownMismatches: 1,
  },
  {
    tag: "s16",
    title: "a /compact inside an open branch",
    prompts: ["/compact", "go on"],
    says: (at) => [
      [open("A")],
      [read(at, "w1.txt")],
      "I wait.",
      [read(at, "w2.txt")],
      [close(at, "A")],
      "Done.",
    ],
    folded: 0,
    has: ["SUMMARY-1", "WORD-2", "RESULT-A"],
    lacks: [],
    mayGo: true,
    ownMismatches: 1,
  },
  {
    tag: "s17",
    title: "instructions, skills, hooks and tools that come up inside a branch",
    files: {
      "s17/sub/CLAUDE.md": "LAZY-1 is a rule of this folder.\n",
      "s17/sub/w5.txt": wordFile("WORD-5-s17"),
      ".claude/skills/tidy/SKILL.md": SKILL,
      ".claude/settings.json": JSON.stringify({ hooks: { PostToolUse: [{ hooks: [HOOK] }] } }),
    },
    says: (at) => [
      [open("A")],
      [read(at, "sub/w5.txt")],
      [{ use: "Skill", input: { skill: "tidy" } }],
      [{ use: "ToolSearch", input: { query: "select:mcp__qm__memory_search" } }],
      [close(at, "A")],
      [read(at, "w2.txt")],
      "Done.",
    ],
    folded: 1,
    has: ["RESULT-A", "LAZY-1", "SKILL-1", "mcp__qm__memory_search", "WORD-2"],
    lacks: ["WORD-5"],
  },
  {
    tag: "s18",
    title: "a file of a fold that is read again",
    says: (at) => [
      [open("A")],
      [read(at, "w1.txt")],
      [close(at, "A")],
      [read(at, "w1.txt")],
      [read(at, "w2.txt")],
      "Done.",
    ],
    folded: 1,
    has: ["RESULT-A", "WORD-1", "WORD-2"],
    lacks: [],
  },
  {
    tag: "s20",
    title: "a trail that is asked for comes back as a result, at the end",
    says: (at) => [
      [open("A")],
      [read(at, "w1.txt")],
      [close(at, "A")],
      [read(at, "w2.txt")],
      [{ use: "mcp__qm__read_handle", input: { handle: "$A", lines: 60 } }],
      "Done.",
    ],
    folded: 1,
    has: ["RESULT-A", "WORD-2", "WORD-1"],
    lacks: [],
  },
  {
    tag: "s21",
    title: "an edit of a file that was read only inside a fold",
    says: (at) => [
      [open("A")],
      [read(at, "w1.txt")],
      [close(at, "A")],
      [
        {
          use: "Edit",
          input: {
            file_path: `${at.folder}/w1.txt`,
            old_string: `1-${at.tag}`,
            new_string: "2",
          },
        },
      ],
      "Done.",
    ],
    folded: 1,
    has: ["RESULT-A", "has been updated"],
    lacks: ["WORD-1"],
  },
  {
    tag: "s22",
    title: "a fork of the conversation is folded like it",
    says: (at) => [
      [open("A")],
      [read(at, "w1.txt")],
      [close(at, "A")],
      [agent(at, "dig here", "fork")],
      [read(at, "w2.txt")],
      "Done.",
    ],
    others: (at) => [
      {
        hears: `dig here-${at.tag}`,
        says: [[read(at, "w3.txt")], `AGENT-1-${at.tag} has looked.`],
      },
    ],
    folded: 1,
    has: ["RESULT-A", "AGENT-1", "WORD-2"],
    lacks: ["WORD-1"],
  },
]

/** Scenes that run one after the other in one conversation; branches that stay open come last. */
export const SESSIONS: readonly (readonly Scene[])[] = [
  ["s01", "s02", "s03", "s04", "s06", "s07", "s08", "s09", "s05"],
  ["s10", "s11", "s13", "s14", "s17", "s18", "s20", "s21", "s22"],
  ["s15"],
  ["s16"],
].map((tags) => tags.flatMap((tag) => SCENES.filter((it) => it.tag === tag)))

export function picture(shade: number): Buffer {
  const side = 8
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(side * 3, shade)])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const pixels = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = [chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]
  return Buffer.concat([signature, ...chunks])
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/** A sub-agent that its parent waits for. */
function agent({ tag }: SceneFolder, prompt: string, subagent_type = "general-purpose"): Call {
  const asked = { description: "Look around", prompt: `${prompt}-${tag}` }
  return { use: "Agent", input: { ...asked, subagent_type, run_in_background: false } }
}

/** Its result arrives later, as a message of the host. */
function backgroundAgent({ tag }: SceneFolder, prompt: string): Call {
  const asked = { description: "Look around", prompt: `${prompt}-${tag}` }
  return { use: "Agent", input: { ...asked, subagent_type: "general-purpose" } }
}
