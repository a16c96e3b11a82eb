import type { ManifestItem } from "#ground/contract"
import type { HostItem, HostPlace } from "#see/hosts"

export function anItem(
  path: string,
  overrides: Partial<ManifestItem> & { readonly sha?: string } = {},
): ManifestItem {
  const { sha = "0", ...rest } = overrides
  return {
    path,
    label: path,
    source: "project-root",
    priority: 100,
    order: 0,
    load: "always",
    reason: "Project root memory",
    kind: "instructions",
    tokens: 1,
    tokensOnDemand: 0,
    bytes: 4,
    sentBytes: 4,
    sha256: sha.repeat(64),
    sentSha256: sha.repeat(64),
    modifiedAt: 1_000,
    scope: "project",
    trust: "project",
    redactions: 0,
    ...rest,
  }
}

export const A_PLACE: HostPlace = {
  workingDirectory: "/home/a/x",
  home: "/home/a",
  environment: {},
  platform: "linux",
}

export function aFound(
  path: string,
  overrides: Partial<HostItem> & { text?: string } = {},
): HostItem {
  const { text = "text", ...rest } = overrides
  return {
    path,
    source: "project-root",
    priority: 100,
    scope: "project",
    load: "always",
    reason: "Project root memory",
    kind: "instructions",
    trust: "project",
    file: { realPath: path, bytes: Buffer.from(text), modifiedAt: 1_000 },
    sent: text,
    frame: "",
    later: "",
    ...rest,
  }
}
