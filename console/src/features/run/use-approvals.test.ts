import { describe, expect, it } from "vitest"
import { anApproval } from "./run.fixture.ts"
import { NOTHING_ASKED, nextAsked } from "./use-approvals.ts"

const answered = (id: string) => anApproval(id, { status: "allowed" })

describe("approval that the keys answer", () => {
  it("[CONSOLE-25] it is the open approval, even when others arrive after it", () => {
    const one = nextAsked(NOTHING_ASKED, [anApproval("a")], null)
    expect(one.keyed).toBe("a")
    expect(nextAsked(one, [anApproval("a"), anApproval("b")], null).keyed).toBe("a")
  })

  it("[CONSOLE-25] it is none when another approval replaces it, until the user selects that one", () => {
    const two = nextAsked(NOTHING_ASKED, [anApproval("a"), anApproval("b")], null)
    const left = nextAsked(two, [answered("a"), anApproval("b")], null)
    expect(left.keyed).toBeNull()
    expect(nextAsked(left, [answered("a"), anApproval("b")], "b").keyed).toBe("b")
    expect(nextAsked(left, [answered("a"), anApproval("b")], "a").keyed).toBeNull()
  })

  it("[CONSOLE-25] it is a new approval that arrives when none was open", () => {
    const none = nextAsked({ keyed: "a", openIds: ["a"] }, [answered("a")], null)
    expect(nextAsked(none, [answered("a"), anApproval("b")], null).keyed).toBe("b")
  })
})
