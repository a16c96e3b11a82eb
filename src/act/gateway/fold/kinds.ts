/** What a text between the turns is, when it stays; its label is what the model reads above it. */
export type KeptKind = "user" | "attached" | "instructions" | "skill"

const REMINDER = /^\s*<system-reminder(?: id="[0-9a-f]*")?>\s*/
const REMINDER_END = "</system-reminder"

/** Files named with @ come as the call of a tool that the host has made itself. */
const ATTACHED = /^(?:Called the |Result of calling the )/
const INSTRUCTIONS = /^(?:Contents of |Codebase and user instructions are shown below)/
/** "The user opened the file", "The user sent a message": what they did. Not what they miss. */
const USER_DID = /^The user (?!hasn't heard from you)/
const SKILL = /^\s*(?:Base directory for this skill: |<command-message>)/
const TOOL_LOADED = /^Tool loaded\.(?:\n\[id:[^\]\n]+\])*\n?$/

/**
 * What a text of a user's message is that stood among folded turns; null for what leaves with
 * them: reminders of the moment. Whatever is not surely one of those stays.
 */
export function kindOfText(text: string): KeptKind | null {
  if (text.trim() === "" || TOOL_LOADED.test(text)) return null
  const opening = REMINDER.exec(text)
  if (opening === null) return SKILL.test(text) ? "skill" : "user"
  const said = text.slice(opening[0].length)
  if (ATTACHED.test(said)) return "attached"
  if (INSTRUCTIONS.test(said)) return "instructions"
  return USER_DID.test(said) || hasMoreAfter(text) ? "user" : null
}

/** What the user typed may follow a reminder in the same block. */
function hasMoreAfter(text: string): boolean {
  const from = text.lastIndexOf(REMINDER_END)
  const end = from === -1 ? -1 : text.indexOf(">", from)
  return end === -1 || text.slice(end + 1).trim() !== ""
}

/**
 * Where a host begins a new piece in the text of a system turn: with a word of a hook ends what the
 * next of these begins, such as the word of a sub-agent that worked in the background.
 */
const PIECE = new RegExp(
  `^(?=${[
    "\\w+(?::\\S+)? hook ",
    "The user hasn't heard from you",
    ".{1,80} output style is active\\.",
    "\\[SYSTEM NOTIFICATION",
    "<task-notification>",
    "# (?:Environment|Output Style:|MCP Server Instructions)",
    "You are powered by the model",
    "The following (?:deferred tools|skills are available)",
    "Available agent types",
    "While .{1,80} mode is active:",
    "Today's date is",
  ].join("|")})`,
  "m",
)
const LEAVES = /^(?:(?:Pre|Post)ToolUse\w*(?::\S+)? hook |The user hasn't heard from you)/

/** What stays of a system turn: not what hooks said of calls that left, not a nag. */
export function keptOfSystem(text: string): string {
  const pieces = text.split(PIECE).filter((it) => !LEAVES.test(it))
  return pieces.join("").trim()
}
