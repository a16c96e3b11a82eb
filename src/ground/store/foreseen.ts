import { AppError } from "#ground/base"

/** Ours already: it passes through every judge unchanged. */
export function isForeseen(error: unknown): error is AppError {
  return error instanceof AppError
}
