import { useState } from "react"
import { asRecord } from "#ground/base/object"
import { toWireError } from "../../base/errors.ts"
import { visibleLine } from "../../base/format.ts"
import type { WireError } from "../../contract.ts"
import type { ParamsProps } from "../../data/params.ts"
import type { MapParams } from "../../data/paths.ts"
import { paths } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"
import { CopyIcon } from "../../ui/copy/copy.tsx"
import { LoadFailure } from "../../ui/failure/failure.tsx"
import { useKey } from "../../ui/keys/keys.tsx"
import { RowSkeleton } from "../../ui/list/list.tsx"
import { DetailHead, Pane } from "../../ui/pane/pane.tsx"
import { Path } from "../../ui/path/path.tsx"
import { FileView } from "./file-view.tsx"
import { FolderView } from "./folder-view.tsx"
import { SymbolView } from "./symbol-view.tsx"
import { useDetail } from "./use-map.ts"

type DetailProps = ParamsProps<MapParams> & { readonly now: number }

export type ViewProps = ParamsProps<MapParams> & {
  readonly takesFocus: boolean
  onShow(show: string): void
  onFollow(show: string): void
}

export function Detail({ now, params, onParams }: DetailProps) {
  const { folder, shown } = useDetail(params)
  const [followed, setFollowed] = useState("")
  const view: ViewProps = {
    params,
    onParams,
    takesFocus: followed === params.show,
    onFollow: setFollowed,
    onShow: (show) => {
      setFollowed(show)
      onParams({ show })
    },
  }
  const close = () => onParams({ show: "" })
  useKey("panel.right", close)
  return (
    <Pane label="Map details">
      <Head show={params.show} onClose={close} />
      {folder.data === undefined ? null : (
        <FolderView key={params.show} shown={folder.data} now={now} {...view} />
      )}
      <LoadFailure error={shown.error} missing={MISSING} onRetry={shown.refetch}>
        <SimilarNames error={toWireError(shown.error)} onShow={view.onShow} />
      </LoadFailure>
      {shown.isPending ? <RowSkeleton rows={8} /> : null}
      {shown.data?.kind === "file" ? (
        <FileView key={params.show} file={shown.data} {...view} />
      ) : null}
      {shown.data?.kind === "symbol" ? (
        <SymbolView key={params.show} shown={shown.data} {...view} />
      ) : null}
      {shown.data?.kind === "folder" ? (
        <FolderView key={params.show} shown={shown.data} now={now} {...view} />
      ) : null}
    </Pane>
  )
}

const MISSING = {
  code: "MAP_NAME_UNKNOWN",
  text: "No file, folder or symbol has this name.",
  all: "The whole map",
  href: paths.map(),
} as const

type NearNamesProps = { readonly error: WireError; onShow(show: string): void }

function SimilarNames({ error, onShow }: NearNamesProps) {
  return nearIn(error).map((name) => (
    <Button key={name} variant="ghost" onPress={() => onShow(name)}>
      {visibleLine(name)}
    </Button>
  ))
}

function nearIn({ data }: WireError): readonly string[] {
  const { near } = asRecord(data)
  return Array.isArray(near) ? near.filter((it) => typeof it === "string") : []
}

type HeadProps = { readonly show: string; onClose(): void }

function Head({ show, onClose }: HeadProps) {
  return (
    <DetailHead
      back="Back to the tree"
      actions={<CopyIcon text={show} label="Copy name" keyId="map.copy" />}
      onClose={onClose}
    >
      <Path path={show === "/" ? "Repository" : show.replace(/\/$/, "")} />
    </DetailHead>
  )
}
