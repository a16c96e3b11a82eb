import { type Command, type Flag, GLOBAL_FLAGS, HELP_TOPICS } from "../command.ts"
import { argumentText } from "../parse.ts"
import { describeFlag, usageOf, usageOfFlag } from "./help.ts"

/**
 * The manual page of section 1, from the same commands as the help. It has no version and no date,
 * so that it changes only with a command.
 */
export function renderManual(commands: readonly Command[]): string {
  const listed = commands.filter((it) => it.aliasOf === undefined)
  return `${[
    '.TH QM 1 "" "Quartermaster" "User Commands"',
    // Left-aligned: groff warns of a long list of choices that it cannot justify.
    ".ds AD l",
    ".ad l",
    ".SH NAME",
    "qm \\- the context engine for coding agents",
    ".SH SYNOPSIS",
    String.raw`\fBqm\fR \fIcommand\fR [\fIarguments\fR] [\fIflags\fR]`,
    ".SH DESCRIPTION",
    "Quartermaster observes, selects, shrinks and preserves the context of coding agents.",
    "Results are written to standard output, logs to standard error.",
    ...HELP_TOPICS.flatMap((topic) => [
      `.SH ${escapeText(topic.name.toUpperCase())}`,
      `${textLine(`Commands: ${topic.about}`)}.`,
      ...listed.filter((it) => it.group === topic.name).flatMap(describeCommand),
    ]),
    ".SH GLOBAL FLAGS",
    ...flagParts(GLOBAL_FLAGS, usageOfFlag),
    ".SH EXIT STATUS",
    ...part("0", "The command succeeded."),
    ...part("1", "A foreseen error, with a code and advice, or a failed check."),
    ...part("70", "A bug of Quartermaster."),
    ...part("130", "Interrupted with Ctrl-C."),
    ".SH FILES",
    ...part("~/.qm", "User settings, token and credentials; QM_HOME names another folder."),
    ...part(".qm", "Settings, memories and recipes of a repository."),
  ].join("\n")}\n`
}

function describeCommand(command: Command): readonly string[] {
  return [
    `.SS "qm ${escapeQuoted(usageOf(command))}"`,
    `${textLine(command.summary)}.`,
    ...flagParts(command.arguments, argumentText),
    ...flagParts(command.flags, usageOfFlag),
    ...(command.notes ?? []).flatMap((it) => [".PP", textLine(it)]),
    ".PP",
    "Examples:",
    ".nf",
    ...command.examples.map((it) => `    ${escapeText(it)}`),
    ".fi",
  ]
}

function flagParts(flags: readonly Flag[], usage: (flag: Flag) => string): readonly string[] {
  return flags.flatMap((it) => part(usage(it), describeFlag(it)))
}

function part(term: string, text: string): readonly string[] {
  return [".TP", String.raw`\fB${escapeText(term)}\fR`, textLine(text)]
}

/** A line that starts with a dot or an apostrophe would be a request. */
function textLine(text: string): string {
  const line = escapeText(text)
  return /^[.']/.test(line) ? String.raw`\&${line}` : line
}

/** roff reads a backslash as an escape and prints a plain `-` as a hyphen that cannot be copied. */
function escapeText(text: string): string {
  return (
    text
      .replaceAll("\\", String.raw`\e`)
      .replaceAll("-", String.raw`\-`)
      .replaceAll("…", "...")
      // A list of choices may be broken after each of them.
      .replaceAll("|", String.raw`|\:`)
      .replaceAll("`", String.raw`\(ga`)
  )
}

function escapeQuoted(text: string): string {
  return escapeText(text).replaceAll('"', '""')
}
