import { visibleLine } from "../../base/format.ts"
import { type HostName, type Manifest, plural } from "../../contract.ts"
import { Button } from "../../ui/button/button.tsx"
import { CommandLine, Empty } from "../../ui/empty/empty.tsx"
import { shortener } from "./lines.ts"

type NeverProps = {
  readonly host: HostName
  readonly isReadOnly: boolean
  readonly isBusy: boolean
  onTake(): void
}

/** Before the first capture of a place. */
export function NeverCaptured({ host, isReadOnly, isBusy, onTake }: NeverProps) {
  return (
    <Empty
      says={`Which files ${host} loads here, in what order, why, and what they cost: that will be here. Nothing is started for it and no model is called.`}
    >
      <CommandLine command={host === "claude-code" ? "qm capture" : `qm capture --host ${host}`}>
        {isReadOnly ? null : (
          <Button look="primary" small disabled={isBusy} onPress={onTake}>
            Capture now
          </Button>
        )}
      </CommandLine>
    </Empty>
  )
}

export function NoContext({ manifest }: { readonly manifest: Manifest }) {
  return <Empty says={visibleLine(sayNoContext(manifest))} />
}

export function sayNoContext(manifest: Manifest): string {
  const { host, workingDirectory, searched } = manifest
  const shorten = shortener(manifest)
  const own = searched.find((it) => shorten(it.path) !== it.path && isOfProject(it.path, manifest))
  const looked = `${host} finds no context file from ${workingDirectory}. ${plural(searched.length, "place was", "places were")} looked at, listed below.`
  if (own === undefined) return looked
  return `${looked} Create ${shorten(own.path)} in this folder and it is read at the next start.`
}

function isOfProject(path: string, { workingDirectory }: Manifest): boolean {
  const rest = path.slice(workingDirectory.length + 1)
  return path.startsWith(`${workingDirectory}/`) && rest.endsWith(".md")
}
