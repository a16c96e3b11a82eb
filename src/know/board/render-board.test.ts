import { expect, test } from "vitest"
import { renderBoard } from "./render-board.ts"

test("[BOARD-8] a board without tickets has its four lanes", () => {
  expect(renderBoard([]).match(/^## .*$|^No tickets\.$/gm)).toEqual([
    "## Backlog (0)",
    "No tickets.",
    "## Working (0)",
    "No tickets.",
    "## Testing (0)",
    "No tickets.",
    "## Conclusion (0)",
    "No tickets.",
  ])
})
