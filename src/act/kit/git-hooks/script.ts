import { createHash } from "node:crypto"
import type { GitHookName } from "#ground/contract"
import { REFUSED_CODE } from "./limits.ts"

export function keptName(name: GitHookName): string {
  return `${name}.qm-kept`
}

/** The script that git starts: a person's own hook first, then ours. */
export function renderScript(name: GitHookName, options: { readonly qm: string }): string {
  const body = bodyOf(name, options.qm)
  return `#!/bin/sh\n${MARK}${digestOf(body)}\n${body}`
}

const MARK = "# A git hook of qm, taken away by `qm uninstall`. sha256:"

/** Whose a script is; one of ours that somebody has edited is theirs to decide about. */
export function ownerOf(bytes: Uint8Array): "ours" | "edited" | "theirs" {
  // One letter a byte: a hook may be a program, and a hash is of bytes.
  const text = Buffer.from(bytes).toString("latin1")
  const [, digest, body] = SCRIPT.exec(text) ?? []
  if (digest === undefined || body === undefined) return text.includes(MARK) ? "edited" : "theirs"
  return digest === digestOf(Buffer.from(body, "latin1")) ? "ours" : "edited"
}

const SCRIPT = /^#!\/bin\/sh\n# A git hook of qm, [^\n]*sha256:([0-9a-f]{64})\n([^]*)$/

function digestOf(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("hex")
}

/**
 * Other programs that install hooks keep ours in their turn and start it; the name of the chain
 * ends the circle. Whatever else happens to qm, only its own refusal stops the work.
 */
function bodyOf(name: GitHookName, qm: string): string {
  return `# A hook of your own is kept beside this one and runs first; its failure is the failure.
kept="\${0%/*}/${keptName(name)}"
qm=${quoted(qm)}
chain="$PWD:$kept"
[ "\${QM_HOOK_CHAIN-}" = "$chain" ] && exit 0
${name === "pre-push" ? startWithInput(name) : start(name)}
[ $? -eq ${REFUSED_CODE} ] && exit 1
exit 0
`
}

function start(name: GitHookName): string {
  return `if [ -x "$kept" ]; then
  QM_HOOK_CHAIN="$chain" "$kept" "$@" || exit $?
fi
[ -x "$qm" ] || exit 0
"$qm" hook ${name} "$@"`
}

/** What git says can be read once, and both must have it. The sign at the end keeps newlines. */
function startWithInput(name: GitHookName): string {
  return `said=$(cat; printf x)
if [ -x "$kept" ]; then
  printf %s "\${said%x}" 2>/dev/null | QM_HOOK_CHAIN="$chain" "$kept" "$@" || exit $?
fi
[ -x "$qm" ] || exit 0
printf %s "\${said%x}" 2>/dev/null | "$qm" hook ${name} "$@"`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
