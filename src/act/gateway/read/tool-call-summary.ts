import path from "node:path"
import { isInside, isRecord, type JsonRecord, parseJson } from "#ground/base"
import { listOf } from "./json.ts"

const LONGEST_SUMMARY_UNITS = 160

const LONGEST_COMMAND_UNITS = 60

export type ToolCallSummary = {
  readonly words: string
  readonly path?: string
  readonly skill?: string
}

const PATHS = ["file_path", "notebook_path", "absolute_path", "path", "file", "filename"]
const SOUGHT = ["pattern", "query", "regex"]
const SAID = ["url", "skill", "description", "subject", "prompt", "question"]

/** The input as sent: mostly JSON. */
export function summarizeToolCall(input: string, workingDirectory: string): ToolCallSummary {
  const parsed = parseJson(input)
  if (!isRecord(parsed)) return summarizePlainInput(input, workingDirectory)
  const fields = isRecord(parsed["action"]) ? parsed["action"] : parsed
  const command = commandIn(fields)
  if (command !== "") return { words: firstWords(command, LONGEST_COMMAND_UNITS) }
  const file = firstOf(fields, PATHS)
  const sought = firstWords(firstOf(fields, SOUGHT), LONGEST_COMMAND_UNITS)
  if (file !== "") return summarizeFileCall(file, { sought, workingDirectory })
  const skill = firstOf(fields, ["skill"])
  const summary = sought || firstOf(fields, SAID) || firstOf(fields, Object.keys(fields))
  const words = firstWords(summary, LONGEST_COMMAND_UNITS)
  return skill === "" ? { words } : { words, skill }
}

function firstOf(fields: JsonRecord, keys: readonly string[]): string {
  const key = keys.find((it) => typeof fields[it] === "string" && fields[it] !== "")
  return key === undefined ? "" : String(fields[key])
}

const SHELL = /(?:^|\/)(?:ba|z|da)?sh$/

/** Of a command for a shell, the shell's line. */
function commandIn(fields: JsonRecord): string {
  const command = fields["command"] ?? fields["cmd"]
  if (typeof command === "string") return command
  const words = listOf(command).filter((it) => typeof it === "string")
  const isForShell = SHELL.test(words[0] ?? "") && words.length === 3
  return isForShell ? (words[2] ?? "") : words.join(" ")
}

const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.{1,1000})$/m

/** A patch names its file first. */
function summarizePlainInput(input: string, workingDirectory: string): ToolCallSummary {
  const file = PATCHED.exec(input.slice(0, 10_000))?.[1]?.trim() ?? ""
  if (file !== "") return summarizeFileCall(file, { sought: "", workingDirectory })
  return { words: firstWords(input, LONGEST_COMMAND_UNITS) }
}

function summarizeFileCall(
  file: string,
  { sought, workingDirectory }: { readonly sought: string; readonly workingDirectory: string },
): ToolCallSummary {
  const name = shortPath(file, workingDirectory)
  const words = sought === "" || name === "" ? sought || name : `${sought} in ${name}`
  return { words, path: file }
}

function shortPath(file: string, workingDirectory: string): string {
  const isHere = path.isAbsolute(file) && isInside(workingDirectory, file)
  const name = isHere ? path.relative(workingDirectory, file) || "." : file
  const line = name.replace(/\s+/g, " ")
  if (line.length <= LONGEST_SUMMARY_UNITS) return line
  const last = path.basename(line)
  return last.length <= LONGEST_SUMMARY_UNITS ? last : ""
}

/** Whole words: half a secret is not recognized. */
function firstWords(text: string, most: number): string {
  const start = text.trimStart().slice(0, 4_096)
  const [line = ""] = start.split("\n", 1)
  const words = line.split(/\s+/).filter((it) => it !== "")
  const shown: string[] = []
  let length = 0
  for (const word of words) {
    length += word.length + 1
    const isTooLong = length > (shown.length === 0 ? LONGEST_SUMMARY_UNITS : most)
    if (isTooLong) break
    shown.push(word)
  }
  if (shown.length === 0) return ""
  const isWhole = shown.length === words.length && line.trim().length === text.trim().length
  return isWhole ? shown.join(" ") : `${shown.join(" ")} …`
}

const INPUT_START = " with the following input: "

/** The host's notation for its own call for an attachment. */
export function attachedInput(text: string): string {
  const start = text.indexOf(INPUT_START)
  const end = text.lastIndexOf("\n</system-reminder>")
  const input = text.slice(start + INPUT_START.length, end === -1 ? text.length : end)
  return start === -1 ? "" : input
}
