export type DrawingRequest = {
  readonly id: number
  readonly source: string
  readonly look: DiagramLook
  /** The console's font; the frame loads nothing itself. */
  readonly font: ArrayBuffer | undefined
}

export type DiagramLook = "light" | "dark"

export type DrawingAnswer =
  | { readonly kind: "ready" }
  | {
      readonly kind: "drawn"
      readonly id: number
      readonly svg: string
      readonly width: number
      readonly height: number
    }
  | { readonly kind: "refused"; readonly id: number; readonly says: string }
