import { spawnSync } from "node:child_process"
import { type Child, child } from "./child.ts"

export type SmallDisk =
  | {
      readonly kind: "available"
      /**
       * Runs a script with a fresh disk of that size; the disk's path is its first argument. The
       * disk is in the child's own mount namespace and disappears with it, also after SIGKILL.
       * Needs root or unprivileged user namespaces.
       */
      start(script: URL, args?: readonly string[]): Child
    }
  | { readonly kind: "unavailable"; readonly why: string }

export function smallDisk(sizeBytes: number): SmallDisk {
  const probe = spawnSync("unshare", [
    ...NAMESPACE,
    "sh",
    "-c",
    mountScript(sizeBytes),
    MOUNT,
    "true",
  ])
  if (probe.error) return { kind: "unavailable", why: probe.error.message }
  if (probe.status !== 0) return { kind: "unavailable", why: String(probe.stderr).trim() }
  return {
    kind: "available",
    start: (script, args = []) =>
      child(script, [MOUNT, ...args], {
        under: ["unshare", ...NAMESPACE, "sh", "-c", mountScript(sizeBytes), MOUNT],
      }),
  }
}

const NAMESPACE = ["--user", "--map-root-user", "--mount"]

/** A directory that every Linux has, covered only in the child's own namespace. */
const MOUNT = "/mnt"

function mountScript(sizeBytes: number): string {
  return `mount -t tmpfs -o size=${sizeBytes},mode=0700 tmpfs "$0" && exec "$@"`
}
