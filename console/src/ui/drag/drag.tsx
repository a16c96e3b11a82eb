import { type DragEvent, type ReactNode, useState } from "react"
import styles from "./drag.module.css"

type DragRowProps = {
  readonly group: string
  readonly name: string
  onDrop(name: string, where: "before" | "after"): void
  readonly children: ReactNode
}

export function DragRow({ group, name, onDrop, children }: DragRowProps) {
  const [over, setOver] = useState<"before" | "after" | null>(null)
  const kind = `application/x-qm-${group}`
  const hover = (event: DragEvent<HTMLDivElement>) => {
    if (!event.dataTransfer.types.includes(kind)) return
    event.preventDefault()
    event.dataTransfer.dropEffect = "move"
    const { top, height } = event.currentTarget.getBoundingClientRect()
    setOver(event.clientY < top + height / 2 ? "before" : "after")
  }
  const drop = (event: DragEvent<HTMLDivElement>) => {
    const dragged = event.dataTransfer.getData(kind)
    setOver(null)
    if (dragged === "" || over === null) return
    event.preventDefault()
    if (dragged !== name) onDrop(dragged, over)
  }
  return (
    <div
      className={styles.drag}
      role="presentation"
      draggable
      data-over={over ?? undefined}
      onDragStart={(event) => {
        event.dataTransfer.setData(kind, name)
        event.dataTransfer.effectAllowed = "move"
      }}
      onDragOver={hover}
      onDragLeave={() => setOver(null)}
      onDrop={drop}
    >
      {children}
    </div>
  )
}
