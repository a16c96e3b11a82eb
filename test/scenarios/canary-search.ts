import { readdir, readFile } from "node:fs/promises"
import path from "node:path"
import { systemRandom } from "#ground/base"
import { createSecrets } from "#ground/secrets"
import { seed } from "#test/seed"
import { createSpecimens, type Specimen } from "../corpus/secret-kinds.ts"

export type Canary = {
  readonly kind: string
  readonly text: string
  readonly draws: readonly string[]
}

export type Output = { readonly from: string; readonly text: string }

const specimens = createSpecimens(seed() + 1)
const { redact } = createSecrets({ random: systemRandom })

/**
 * One of each kind, without the few that the scanner misses: [SECRETS-6] measures its recall, and
 * this test checks that every output uses it.
 */
export function newCanaries(): readonly Canary[] {
  return specimens().map(canaryOf).filter(isSeen)
}

/** Values without a recognizable format: only exact comparison can redact them. */
export function newKnownValues(count: number): readonly Canary[] {
  return Array.from({ length: count }, () => {
    const value = `v4lue${Buffer.from(systemRandom.bytes(12)).toString("hex")}`
    return { kind: "known-value", text: value, draws: [value] }
  })
}

function canaryOf({ kind, name, value, draws }: Specimen): Canary {
  return { kind, text: name === undefined ? value : `${name}=${value}`, draws }
}

/** Plain, inside JSON, and URL-encoded. */
function isSeen(canary: Canary): boolean {
  const { text } = canary
  const forms = [text, `a "${text}" b`, JSON.stringify([text]), `/x?q=${encodeURIComponent(text)}`]
  const left = forms.map((it) => redact(it).text).join("\n")
  return !canary.draws.flatMap(windowsOf).some((it) => left.includes(it))
}

/** Number of consecutive random characters that count as a leak; fewer occur by chance. */
const WINDOW = 12

/**
 * `entry, in place: kinds` for each readable part of a canary, without the part itself.
 */
export function findLeaks(
  planted: ReadonlyMap<string, readonly Canary[]>,
  outputs: readonly Output[],
): readonly string[] {
  const { owners, mayBegin } = ownersOf(planted)
  const kinds = new Map<string, Set<string>>()
  for (const { from, text } of outputs) {
    for (let at = 0; at + WINDOW <= text.length; at++) {
      if (mayBegin[beginning(text, at)] === 0) continue
      const owner = owners.get(text.slice(at, at + WINDOW))
      if (owner === undefined) continue
      const way = `${owner.entry}, in ${from}`
      kinds.set(way, (kinds.get(way) ?? new Set()).add(owner.kind))
    }
  }
  return [...kinds].map(([way, found]) => `${way}: ${[...found].join(" ")}`).toSorted()
}

type Owner = { readonly entry: string; readonly kind: string }

/** The owner of each window, and a table of their first characters that excludes most positions. */
function ownersOf(planted: ReadonlyMap<string, readonly Canary[]>) {
  const owners = new Map<string, Owner>()
  const mayBegin = new Uint8Array(2 ** 24)
  for (const [entry, canaries] of planted) {
    for (const { kind, draws } of canaries) {
      for (const part of draws.flatMap(windowsOf)) {
        owners.set(part, { entry, kind })
        mayBegin[beginning(part, 0)] = 1
      }
    }
  }
  return { owners, mayBegin }
}

function windowsOf(draw: string): readonly string[] {
  const count = Math.max(0, draw.length - WINDOW + 1)
  return Array.from({ length: count }, (_, at) => draw.slice(at, at + WINDOW))
}

/** Four characters as a number of 24 bits: six bits of each distinguish letters and digits. */
function beginning(text: string, at: number): number {
  const bits = (index: number) => text.charCodeAt(at + index) & 63
  return (bits(0) << 18) | (bits(1) << 12) | (bits(2) << 6) | bits(3)
}

export async function filesBelow(
  folder: string,
  isOurs: (file: string) => boolean,
): Promise<readonly Output[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((it) => it.isFile()).map((it) => path.join(it.parentPath, it.name))
  return Promise.all(
    files
      .filter((it) => !isOurs(it))
      .map(async (file) => ({
        from: path.relative(folder, file),
        text: await readFile(file, "latin1").catch(() => ""),
      })),
  )
}

export const textOf = (canaries: readonly Canary[]) => canaries.map((it) => it.text).join("\n\n")

/** As many canaries as fit completely, because a part of a key is not recognized. */
export function textWithin(characters: number, canaries: readonly Canary[]): string {
  return canaries.reduce((text, it) => {
    const longer = text === "" ? it.text : `${text}\n\n${it.text}`
    return longer.length <= characters ? longer : text
  }, "")
}

export const ofOneLine = (canaries: readonly Canary[]) =>
  canaries.filter((it) => !it.text.includes("\n"))
