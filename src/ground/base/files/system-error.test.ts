import { expect, test } from "vitest"
import { FileExists } from "../errors.ts"
import { asWriteFailure, reasonOf } from "./system-error.ts"

const systemError = (code: string) => Object.assign(new Error(code), { code })

test.each([
  ["ENOSPC", "STORAGE_FULL", "full"],
  ["EDQUOT", "STORAGE_FULL", "full"],
  ["EROFS", "FILE_NOT_WRITABLE", "denied"],
  ["EACCES", "FILE_NOT_WRITABLE", "denied"],
  ["EPERM", "FILE_NOT_WRITABLE", "denied"],
  ["ENOENT", "FILE_DIRECTORY_MISSING", "not-found"],
  ["ENOTDIR", "FILE_DIRECTORY_MISSING", "not-found"],
  ["ELOOP", "FILE_NOT_REGULAR", "conflict"],
  ["EISDIR", "FILE_NOT_REGULAR", "conflict"],
  ["EIO", "FILE_SYSTEM_FAILED", "unavailable"],
])("[BASE-5] system error %s becomes %s with the original as its cause", (reason, code, family) => {
  const cause = systemError(reason)
  expect(asWriteFailure(cause, { path: "/a", neededBytes: 5 })).toMatchObject({
    code,
    family,
    cause,
  })
})

test("[BASE-5] an AppError passes unchanged; an error without a system code has no name", () => {
  const ours = FileExists({ path: "/a" })
  expect(asWriteFailure(ours, { path: "/b" })).toBe(ours)
  expect(asWriteFailure("odd", { path: "/b" })).toMatchObject({ data: { reason: "unknown" } })
  expect([reasonOf(new Error("x")), reasonOf(systemError("EIO"))]).toEqual(["unknown", "EIO"])
})
