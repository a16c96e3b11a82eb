import { readBounded } from "#ground/base"
import { BundleInvalid } from "./errors.ts"
import { digest } from "./files/digest.ts"
import { LARGEST_BUNDLE_BYTES } from "./limits.ts"
import type { Manifest } from "./manifest.ts"
import { findStrays, reconcileDeps } from "./ours.ts"
import type { KitDeps } from "./plan.ts"
import { reconcile, recordsOf } from "./reconcile.ts"
import { readTemplates } from "./templates.ts"
import {
  bundleFile,
  type WantedFile,
  type WantedWorld,
  type Wiring,
  wantedForUser,
} from "./wanted.ts"

/** What becomes of the user's own files: the bundle, the hosts' settings, what is projected. */
export async function planUser(
  deps: KitDeps,
  manifest: Manifest,
  { wiring, isLeaving }: { readonly wiring: readonly Wiring[]; readonly isLeaving: boolean },
) {
  const program = wiring.length > 0 ? await programFor(deps, manifest, isLeaving) : undefined
  const wanted = program === undefined ? [] : await wantedNow(deps, wiring, program)
  const wantedPaths = new Set(wanted.map((it) => it.path))
  const strays = await findStrays(deps, { known: manifest.files, wanted: wantedPaths })
  const steps = await reconcile(wanted, { ...manifest.files, ...strays }, reconcileDeps(deps))
  return {
    steps,
    kept: {
      bundle: program?.bundle.hash ?? "",
      node: program?.node ?? "",
      main: program?.main ?? "",
      files: recordsOf(steps),
    },
  }
}

type Program = Pick<WantedWorld, "node" | "main" | "bundle">

/** Who leaves changes nothing for the others: they keep what their hooks run now. */
async function programFor(deps: KitDeps, manifest: Manifest, isLeaving: boolean): Promise<Program> {
  const { bundle: hash } = manifest
  const file = bundleFile(deps.home)
  const read = isLeaving ? await readBounded(file, { maxBytes: LARGEST_BUNDLE_BYTES }) : undefined
  if (read?.kind === "read" && digest(read.bytes) === hash)
    return { node: manifest.node, main: manifest.main, bundle: { bytes: read.bytes, hash } }
  const made = await deps.bundle()
  if (digest(made.bytes) !== made.hash) throw BundleInvalid({})
  const bundle = { bytes: Buffer.from(made.bytes), hash: made.hash }
  const { node, main } = deps.runtime
  return { node, main, bundle }
}

async function wantedNow(
  deps: KitDeps,
  wiring: readonly Wiring[],
  program: Program,
): Promise<readonly WantedFile[]> {
  const templates = await readTemplates(deps.templates)
  return wantedForUser(wiring, { home: deps.home, machine: deps, ...program, templates })
}
