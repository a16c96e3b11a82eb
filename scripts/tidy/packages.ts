import { z } from "zod"
import { type Finding, type Findings, fail } from "./finding.ts"
import type { Tree } from "./tree.ts"

/** Checks packages: exact versions, no registry in the lockfile, a build for each platform. */
export function checkPackages(tree: Tree): Findings {
  const manifests = [...tree.texts].filter(([path]) => /(?:^|\/)package\.json$/.test(path))
  const lockfile = tree.texts.get("package-lock.json")
  return fail(
    ...manifests.flatMap(([path, text]) => looseVersions(path, Manifest.parse(JSON.parse(text)))),
    ...(lockfile === undefined ? [] : checkLockfile(Lockfile.parse(JSON.parse(lockfile)))),
  )
}

const Versions = z.record(z.string(), z.string()).default({})
/** npm writes a single name as text. */
const Names = z.union([z.array(z.string()), z.string().transform((name) => [name])]).default([])
const Manifest = z.object({
  dependencies: Versions,
  devDependencies: Versions,
  optionalDependencies: Versions,
  overrides: z.record(z.string(), z.unknown()).default({}),
})
const LockedPackage = z.object({
  resolved: z.string().default(""),
  link: z.boolean().default(false),
  optionalDependencies: Versions,
  os: Names,
  cpu: Names,
})
const Lockfile = z.object({ packages: z.record(z.string(), LockedPackage) })
type LockedPackage = z.infer<typeof LockedPackage>
type Lockfile = z.infer<typeof Lockfile>

const EXACT = /^\d+\.\d+\.\d+(?:-[\w.-]+)?$/

function looseVersions(where: string, manifest: z.infer<typeof Manifest>): readonly Finding[] {
  const { dependencies, devDependencies, optionalDependencies, overrides } = manifest
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides }
  return Object.entries(all)
    .filter(([, version]) => typeof version === "string" && !EXACT.test(version))
    .map(([name, version]) => ({
      where,
      wrong: `${name} has the version "${String(version)}".`,
      instead: "Pin one exact version; a range can install another version later.",
    }))
}

const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-arm64", "darwin-x64", "win32-x64"] as const

function checkLockfile(lockfile: Lockfile): readonly Finding[] {
  const packages = Object.entries(lockfile.packages)
  const hosts = packages.filter(([, it]) => /^[a-z+]+:\/\//i.test(it.resolved) && !it.link)
  return [
    ...hosts.map(([name]) => ({
      where: `package-lock.json: ${name}`,
      wrong: "The lockfile names a registry host.",
      instead: "Install with omit-lockfile-registry-resolved=true, as .npmrc says.",
    })),
    ...packages.flatMap(([name, it]) => missingPlatforms(lockfile, name, it)),
  ]
}

/**
 * A package with native builds lists them as optional dependencies. npm may lock only those it saw,
 * and then `npm ci` fails, or silently lacks the binary, on other platforms.
 */
function missingPlatforms(lockfile: Lockfile, name: string, it: LockedPackage): readonly Finding[] {
  const builds = Object.keys(it.optionalDependencies)
  const locked = builds.flatMap((build) => findLocked(lockfile, name, build) ?? [])
  const isNative = new Set(locked.flatMap((build) => build.os)).size > 1
  if (!isNative) return []
  const unlocked = builds.filter((build) => findLocked(lockfile, name, build) === undefined)
  const missing = PLATFORMS.filter((platform) => !locked.some((build) => serves(build, platform)))
  if (missing.length === 0) return []
  return [
    {
      where: `package-lock.json: ${name === "" ? "package.json" : name}`,
      wrong: `No build for ${missing.join(", ")} (not locked: ${unlocked.join(", ") || "none"}).`,
      instead: "Choose a version whose builds all lock, or another package.",
    },
  ]
}

/** npm looks beside the package first, then at the top. */
function findLocked(lockfile: Lockfile, name: string, build: string): LockedPackage | undefined {
  return (
    lockfile.packages[`${name}/node_modules/${build}`] ?? lockfile.packages[`node_modules/${build}`]
  )
}

function serves(build: LockedPackage, platform: string): boolean {
  const [os = "", cpu = ""] = platform.split("-")
  const fits = (list: readonly string[], value: string) => !list.length || list.includes(value)
  return build.os.length > 0 && fits(build.os, os) && fits(build.cpu, cpu)
}
