import path from "node:path"
import { realPath, statFile } from "#ground/base"
import type { SourceConfig, SourceOAuth } from "#ground/contract"

type Transport = SourceConfig["transport"]
export type StdioConfig = Extract<Transport, { type: "stdio" }>
export type RemoteConfig = Exclude<Transport, StdioConfig>

export type Program = {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
}

type CommandContext = {
  readonly folder: string
  readonly runtime: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

export async function resolveProgram(config: StdioConfig, where: CommandContext): Promise<Program> {
  const { command, args } = config
  const cwd = where.folder
  if (command === "node") return { file: where.runtime, args, cwd }
  if (path.isAbsolute(command)) return { file: command, args, cwd }
  if (/[\\/]/.test(command)) return { file: path.resolve(cwd, command), args, cwd }
  const folders = (where.environment["PATH"] ?? "").split(path.delimiter)
  for (const folder of folders.filter((it) => path.isAbsolute(it))) {
    const file = path.join(folder, command)
    if (await isExecutable(file)) return { file, args, cwd }
  }
  return { file: command, args, cwd }
}

export function showProgram({ file, args }: Program, { env }: StdioConfig): string {
  const line = [file, ...args].map(quoted).join(" ")
  return env.length === 0 ? line : `${line} (can read ${env.join(", ")})`
}

export function showAddress(config: RemoteConfig): string {
  const { url, credential, oauth } = config
  if (oauth !== undefined) return `${url} (sends the token of a sign-in${issuerText(oauth)})`
  return credential === undefined ? url : `${url} (sends the credential ${credential})`
}

function issuerText({ issuer }: SourceOAuth): string {
  return issuer === undefined ? "" : ` at ${issuer}`
}

/** The URL parser has already normalized 127.1 and 0x7f.1. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)
}

async function isExecutable(file: string): Promise<boolean> {
  if ((await statFile(file)).kind !== "found") return false
  const fileStat = await realPath(file).then(statFile, () => undefined)
  if (fileStat?.kind !== "found" || fileStat.what !== "regular file") return false
  return process.platform === "win32" || (fileStat.stat.mode & 0o111) !== 0
}
